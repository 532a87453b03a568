"""Storage files out."""

import os
from pathlib import Path

from hitogata.files.rows import number_text
from hitogata.files.storage.table import StorageTable, StorageType


def write_storage(table: StorageTable, path: str | os.PathLike[str] | None = None) -> str:
    """The text of a .mot or .sto file, as OpenSim reads it; written to a file too if `path` is given.

    Numbers have as many digits as they need to be read again bit for bit.

    Args:
        table: what to write.
        path: where to, or None.
    """
    plain = table.kind is StorageType.DOUBLE
    lines = [table.name.strip() or "table", *([] if plain else [f"DataType={table.kind.header}"])]
    lines += [f"version={1 if plain else 3}", f"nRows={len(table.time)}", f"nColumns={1 + len(table.columns)}"]
    if table.in_degrees is not None:
        lines.append(f"inDegrees={'yes' if table.in_degrees else 'no'}")
    lines += [f"{key}={value}" for key, value in table.metadata.items()]
    lines += [*table.comments, "endheader", "\t".join(["time", *table.columns])]
    for time, row in zip(table.time.tolist(), table.values.tolist(), strict=True):
        cells = map(number_text, row) if plain else (",".join(map(number_text, cell)) for cell in row)
        lines.append("\t".join([number_text(time), *cells]))
    text = "\n".join(lines) + "\n"
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    return text

"""The page and table over all trials of a run."""

import csv
import io
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hitogata.pictures import Section, Table, write_report

NOTES = 500
"""Warnings that the page shows, at most; the table has all."""

COLUMNS = {
    "frames": "frames", "marker_rms_mm": "markers rms [mm]", "marker_worst_mm": "worst [mm]", "seen": "seen",
    "fit_converged": "fit settled", "size": "size", "range_most": "widest range", "range_part": "part used",
    "range_beyond_deg": "beyond [°]", "residual_force_rms": "residual force rms [N]",
    "residual_force_percent": "of measured [%]", "residual_moment_rms": "residual moment rms [N m]",
    "reserve_most": "reserve [N m]", "busiest": "busiest muscles", "warnings": "to look at",
}  # fmt: skip
"""Findings in the table, and their headings."""


def summary_files(
    records: dict[str, Any], failed: dict[str, tuple[str, str]], trials: dict[str, str]
) -> dict[str, bytes]:
    """index.html and summary.csv."""
    shown = [key for key in COLUMNS if key != "warnings" and any(_cell(r["found"].get(key)) is not None
                                                                 for r in records.values())]  # fmt: skip
    rows = [(name, *(_cell(record["found"].get(key)) for key in shown), len(record["found"]["warnings"]))
            for name, record in records.items()]  # fmt: skip
    sections = []
    if failed:
        told = [(name, trials[name], error) for name, (error, _) in failed.items()]
        sections.append(Section("Not analysed", [Table(("trial", "file", "why"), told, "tracebacks: NAME.error.txt")]))
    if rows:
        headings = ("trial", *(COLUMNS[key] for key in shown), "warnings")
        sections.append(Section("Trials", [Table(headings, rows)]))
        notes = [f"{name}: {line}" for name, record in records.items() for line in record["found"]["warnings"]]
        if notes:
            sections.append(Section("To look at", ["\n\n".join(notes[:NOTES])]))
    text = f"{len(records)} trials analysed" + (f", {len(failed)} not" if failed else "")
    with tempfile.TemporaryDirectory() as folder:
        page = write_report(Path(folder), "Summary", sections, text=text).read_bytes().decode()
    for name in records:  # the first cell of a trial's rows leads to its page
        link = f'<a href="trials/{quote(name)}/index.html">{name}</a>'
        page = page.replace(f"<td>{name}</td>", f"<td>{link}</td>")
    return {"index.html": page.encode(), "summary.csv": _csv(records, failed).encode()}


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value


def _csv(records: dict[str, Any], failed: dict[str, tuple[str, str]]) -> str:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["trial", "file", *COLUMNS, "error"])
    for name, record in records.items():
        cells = [record["found"].get(key) for key in COLUMNS]
        table.writerow(
            [name, record["trial"], *("; ".join(map(str, c)) if isinstance(c, list) else c for c in cells), ""]
        )
    for name, (error, _) in failed.items():
        table.writerow([name, "", *([""] * len(COLUMNS)), error])
    return text.getvalue()

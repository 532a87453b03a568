"""C3D files for tests, put together byte by byte: any processor, whole or floating-point numbers, any parameters."""

import struct

import numpy as np

INTEL, DEC, MIPS = 84, 85, 86


def reals(values, processor: int) -> bytes:
    numbers = np.asarray(values, dtype=np.float64)
    if processor == DEC:  # the exponent is two larger, and the two halves change places
        return np.asarray(numbers * 4, "<f4").view("<u2").reshape(-1, 2)[:, ::-1].tobytes()
    return np.asarray(numbers, ">f4" if processor == MIPS else "<f4").tobytes()


def words(values, processor: int) -> bytes:
    return np.asarray(values).astype(np.int64).astype(">i2" if processor == MIPS else "<i2").tobytes()


def parameter(group: int, name: str, kind: int, shape, values, processor: int) -> bytes:
    if kind == -1:
        data = b"".join(text.encode().ljust(shape[0]) for text in values)
    elif kind == 4:
        data = reals(values, processor)
    else:
        data = words(values, processor) if kind == 2 else np.asarray(values, np.int8).tobytes()
    body = struct.pack("bB", kind, len(shape)) + bytes(shape) + data + b"\0"
    order = ">" if processor == MIPS else "<"
    return struct.pack("bb", len(name), group) + name.encode() + struct.pack(order + "H", len(body) + 2) + body


def texts(values, width: int = 8):
    return -1, (width, len(values)), values


def section(groups: dict, processor: int) -> bytes:
    data = b""
    for number, (group, parameters) in enumerate(groups.items(), 1):
        order = ">" if processor == MIPS else "<"
        data += struct.pack("bb", len(group), -number) + group.encode() + struct.pack(order + "HB", 3, 0)
        for name, (kind, shape, values) in parameters.items():
            data += parameter(number, name, kind, shape, values, processor)
    blocks = -(-(len(data) + 6) // 512)
    return (bytes([1, 0x50, blocks, processor]) + data).ljust(512 * blocks, b"\0")


def c3d_bytes(
    points, marks, analog=None, *, rate=100.0, samples=1, scale=-0.1, unit="mm", processor=INTEL, first=1,
    channels=(), units=(), changes=None, header_events=(),
) -> bytes:  # fmt: skip
    """A file.

    Args:
        points: numbers as they stand in the file, shape (nt, nm, 3).
        marks: fourth numbers of the points, shape (nt, nm).
        analog: numbers as they stand in the file, shape (nt * samples, nc).
        changes: parameters by group and name, (type, shape, values); None takes one away.
    """
    points, marks = np.asarray(points, float), np.asarray(marks, float)
    nt, nm = marks.shape
    analog = np.zeros((nt * samples, 0)) if analog is None else np.asarray(analog, float)
    nc = analog.shape[1]
    groups = {
        "POINT": {
            "USED": (2, (), [nm]), "FRAMES": (2, (), [nt]), "SCALE": (4, (), [scale]), "RATE": (4, (), [rate]),
            "DATA_START": (2, (), [0]), "UNITS": (-1, (len(unit),), [unit]),
            "LABELS": texts([f"M{k}" for k in range(min(nm, 255))]),
        },
        "ANALOG": {
            "USED": (2, (), [nc]), "RATE": (4, (), [rate * samples]), "GEN_SCALE": (4, (), [1.0]),
            "SCALE": (4, (nc,), [1.0] * nc), "OFFSET": (2, (nc,), [0] * nc),
            "LABELS": texts(list(channels) or [f"A{k}" for k in range(nc)]), "UNITS": texts(list(units) or [""] * nc),
        },
    }  # fmt: skip
    for group, parameters in (changes or {}).items():
        for name, value in parameters.items():
            if value is None:
                del groups[group][name]
            else:
                groups.setdefault(group, {})[name] = value
    start = 2 + len(section(groups, processor)) // 512
    if "DATA_START" in groups["POINT"]:
        groups["POINT"]["DATA_START"] = (2, (), [start])
    counts = [nm, nc * samples, first, min(first + nt - 1, 65535), 10]
    head = bytes([2, 0x50]) + words(counts, processor) + reals([scale], processor)
    head += words([start, samples if nc else 0], processor) + reals([rate], processor)
    head = head.ljust(512, b"\0")
    if header_events:
        times, labels = zip(*header_events, strict=True)
        put = words([12345, len(times)], processor) + b"\0\0"
        put += reals(list(times) + [0] * (18 - len(times)), processor) + b"\0" * 20
        put += b"".join(label.encode().ljust(4) for label in labels)
        head = head[:298] + put.ljust(512 - 298, b"\0")
    both = np.concatenate([points.reshape(nt, nm, 3), marks[..., None]], 2).reshape(nt, 4 * nm)
    frames = np.concatenate([both, analog.reshape(nt, nc * samples)], 1)
    data = reals(frames.ravel(), processor) if scale < 0 else words(np.rint(frames).ravel(), processor)
    return head + section(groups, processor) + data


def body(nt: int = 20, nm: int = 6, seed: int = 0):
    """Places [m] of markers of a body 1.7 m tall, shape (nt, nm, 3)."""
    rng = np.random.default_rng(seed)
    rest = rng.uniform((-0.3, -0.3, 0.0), (0.3, 0.3, 1.7), (nm, 3))
    rest[:2, 2] = 0.0, 1.7
    return rest + np.linspace(0, 1, nt)[:, None, None] * (1.0, 0.0, 0.0) + 0.01 * rng.normal(size=(nt, nm, 3))

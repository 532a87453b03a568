"""Images of cameras from disk: a folder with one entry for each camera, named after it.

    NAME/         a folder of pictures, in the order of their names
    NAME.npy      an array of grey images, uint8, shape (nt, height, width); needs no other package
    NAME.mp4 ...  a video

Pictures and videos are read by OpenCV; colours become grey.
"""

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hitogata.capture.blobs import BlobFinder, Blobs, BlobSettings
from hitogata.capture.camera import Camera
from hitogata.errors import FileFormatError, MissingDependencyError

PICTURES = (".png", ".bmp", ".tif", ".tiff", ".pgm", ".jpg", ".jpeg")
VIDEOS = (".mp4", ".avi", ".mkv", ".mov")


def images_of(folder: str | Path, camera: Camera) -> Iterator[Any]:
    """Grey images of a camera, uint8 of shape (height, width), one after the other.

    Raises:
        FileFormatError: nothing is there for this camera, or it cannot be read, or its size is another.
    """
    place = Path(folder) / camera.name
    stack = place.with_name(camera.name + ".npy")
    video = next((v for ending in VIDEOS if (v := place.with_name(camera.name + ending)).exists()), None)
    if stack.exists():
        source = _stacked(stack)
    elif place.is_dir():
        source = _pictures(place)
    elif video is not None:
        source = _video(video)
    else:
        raise FileFormatError(f"{folder}: nothing of camera {camera.name!r}: no folder, .npy or video of that name")
    for k, image in enumerate(source):
        if image.shape != (camera.size[1], camera.size[0]):
            raise FileFormatError(
                f"{folder}: image {k} of camera {camera.name!r} is {image.shape[1]} x {image.shape[0]} px, "
                f"the camera has {camera.size[0]} x {camera.size[1]}"
            )
        yield image


def blobs_of(
    folder: str | Path, cameras: Sequence[Camera], settings: BlobSettings | None = None
) -> Iterator[list[Blobs]]:
    """Blobs of all cameras, frame by frame, until the first of them has no more images."""
    finders = [BlobFinder(settings) for _ in cameras]
    for images in zip(*(images_of(folder, camera) for camera in cameras), strict=False):
        yield [finder(image) for finder, image in zip(finders, images, strict=True)]


def _stacked(path: Path) -> Iterator[Any]:
    try:
        film = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise FileFormatError(f"{path}: {error}") from None
    if film.ndim != 3 or film.dtype != np.uint8:
        raise FileFormatError(f"{path}: expected uint8 of shape (nt, height, width), got {film.dtype} of {film.shape}")
    for image in film:
        yield np.array(image)


def _pictures(folder: Path) -> Iterator[Any]:
    cv2 = _opencv()
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURES)
    if not files:
        raise FileFormatError(f"{folder}: no pictures ({', '.join(PICTURES)})")
    for path in files:
        image = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
        if image is None:
            raise FileFormatError(f"{path}: not a picture that OpenCV can read")
        yield image


def _video(path: Path) -> Iterator[Any]:
    cv2 = _opencv()
    film = cv2.VideoCapture(str(path))
    if not film.isOpened():
        raise FileFormatError(f"{path}: not a video that OpenCV can read")
    try:
        while True:
            good, image = film.read()
            if not good:
                return
            yield cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    finally:
        film.release()


def _opencv() -> Any:
    try:
        return importlib.import_module("cv2")
    except ImportError:
        raise MissingDependencyError(
            "pictures and videos are read by OpenCV: pip install 'hitogata[capture]' (opencv-python-headless); "
            "stacks of images in .npy files need nothing"
        ) from None

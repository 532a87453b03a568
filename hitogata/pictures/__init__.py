"""Still pictures of figures, with matplotlib."""

from hitogata.pictures.camera import Camera
from hitogata.pictures.figures import draw_figure

__all__ = ["Camera", "draw_figure"]

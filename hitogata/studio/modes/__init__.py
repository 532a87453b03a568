"""What dragging and clicking mean: posing, physics, playing a motion."""

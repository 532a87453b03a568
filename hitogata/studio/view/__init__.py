"""What the page shows of figures, grounds, pins, ranges and forces."""

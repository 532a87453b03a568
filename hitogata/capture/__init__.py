"""Motion capture: from camera images to labelled markers."""

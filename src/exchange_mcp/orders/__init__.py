"""From what was asked to the order on the venue's grid, its preview, and the text for the screen. Pure functions."""

"""From a request to a plan at the desk: what is read for it, what it would do, and what the limits say to it."""

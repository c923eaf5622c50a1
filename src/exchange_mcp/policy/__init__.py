"""The operator's limits: their model, and what they decide. Pure: no clock, no file, no venue."""

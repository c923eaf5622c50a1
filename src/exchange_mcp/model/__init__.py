"""The nouns of the trade and the ports between layers: pure, no I/O."""

"""The nouns of the product and the ports between its halves. Pure: no I/O, no clock, only pydantic."""

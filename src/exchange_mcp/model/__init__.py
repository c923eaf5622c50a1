<<<<<<< HEAD
"""The nouns of the product and the ports between its halves. Pure: no I/O, no clock, no third party but pydantic."""
=======
"""The nouns of the trade and the ports between layers: pure, no I/O."""
>>>>>>> config

"""What eight venues answer to public questions, in each one's documented form, with numbers of our own.

The numbers have 17 significant digits, trailing zeros, or an exponent where the venue sends JSON numbers, so
that any float on their way shows.
"""

"""What the parsers make of answers about keys."""

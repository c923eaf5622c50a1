"""What the operator runs: the only half of the product that holds trading keys."""

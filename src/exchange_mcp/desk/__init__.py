"""What the operator runs: the process that holds trading keys, decides, sends once, and remembers.

Nothing in this package takes the time, randomness or an id from anywhere but a port.
"""

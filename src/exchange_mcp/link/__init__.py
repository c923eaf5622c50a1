"""The proposal socket: what goes over it, and the client that `serve` has."""

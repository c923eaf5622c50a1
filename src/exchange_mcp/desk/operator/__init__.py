"""The operator socket: what goes over it, and the client that the operator's commands have."""

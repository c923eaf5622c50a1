"""What the model sees: one module a family of tools, each tool's declaration beside its handler.

Nothing here knows a venue: a handler is handed accounts, or read-only ports, by its declared effect.
"""

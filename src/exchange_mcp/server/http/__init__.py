"""Streamable HTTP for several clients: who is let in, how much of it anybody may have, and how it ends."""

"""What the operator decides: `serve.toml`, secret references, locations, and how logs leave the process."""

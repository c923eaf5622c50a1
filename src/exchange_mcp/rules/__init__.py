"""What a venue decides, as pure data: one place to look when a venue changes its mind."""

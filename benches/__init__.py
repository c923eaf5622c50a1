"""What the speed targets are measured with. Nothing here is part of the product."""

"""What seven venues answer about an account, in each one's documented form, with numbers of our own."""

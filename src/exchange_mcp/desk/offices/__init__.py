"""What the desk does for those who speak to it, over engine, journal and register: `desk.office`, at work."""

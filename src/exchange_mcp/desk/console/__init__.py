"""The console: a local web application in which a person sees, understands and signs. It decides nothing itself."""

"""What the desk's two Unix sockets answer: the routes of the two protocols over the office, and nothing else."""

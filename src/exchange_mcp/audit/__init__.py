"""What an auditor runs: checks that need nothing of the desk but what it left on disk."""

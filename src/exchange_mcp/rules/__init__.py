"""One module a question, pure data: what is documented of each venue."""

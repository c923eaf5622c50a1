"""The desk's engine against a model venue in virtual time: every history is made by one seed."""

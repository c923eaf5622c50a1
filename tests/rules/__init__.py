"""The rules that are pure data and pure decisions."""

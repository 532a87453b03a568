"""The world and its step."""

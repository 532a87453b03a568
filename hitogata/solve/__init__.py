"""Problem → Solution."""

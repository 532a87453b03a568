"""Rows that limit motion: limits and ranges of joints, contacts, springs and ropes between points."""

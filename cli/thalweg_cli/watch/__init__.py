"""Runs that are watched: while they run, and afterwards."""

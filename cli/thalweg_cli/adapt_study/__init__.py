"""Streams that adapt themselves, beside every fixed setting."""

"""Streams that adapt themselves, beside every fixed number of replicas."""

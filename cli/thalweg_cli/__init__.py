"""Thalweg's command line: builds what a command needs, runs it, and shows what came of it."""

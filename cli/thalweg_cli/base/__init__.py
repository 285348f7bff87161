"""What all else stands on: places, the terminal, files, processes. It knows nothing of streams."""

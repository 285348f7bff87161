"""What is installed: packages of the system and of PyPI."""

"""C++ sources, as text."""

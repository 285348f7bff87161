"""Building with CMake, and the interfaces that it finds."""

"""One run of a program: what it is of, how it is made, what it says."""

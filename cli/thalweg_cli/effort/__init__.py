"""`./thalweg effort`: what it takes to write programs."""

"""`./thalweg micro`: the library against its peers."""

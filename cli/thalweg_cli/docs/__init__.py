"""`./thalweg docs`: the documentation as a site."""

"""What there is: benchmark programs, applications and inputs, ours and the user's."""

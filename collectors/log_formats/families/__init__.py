"""What families of formats share beyond the grammar."""

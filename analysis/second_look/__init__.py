"""What somebody would count by hand in the rows, held against what is told of them."""

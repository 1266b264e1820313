"""From styled lines to the cells of a terminal."""

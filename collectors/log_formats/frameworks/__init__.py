"""One file per framework; a file is found because it is here."""

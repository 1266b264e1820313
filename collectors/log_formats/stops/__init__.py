"""What stops a training, and what a log says of it: evaluations and saves told of by lines between rows."""

"""What a person sees: the app, its screens and widgets, and the plain-text report. Draws a `Run`."""

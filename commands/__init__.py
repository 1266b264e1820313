"""The commands, one module each: they compose sources, analysis and screens, and hold no logic of their own."""

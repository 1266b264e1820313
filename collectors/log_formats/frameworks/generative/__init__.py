"""Images that are made: GANs and their relatives."""

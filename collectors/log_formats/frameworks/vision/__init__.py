"""Vision: detection, segmentation, classification."""

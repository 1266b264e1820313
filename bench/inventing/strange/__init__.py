"""Scripts as strangers write them: what they print beside their rows, and judges of each figure and sentence."""

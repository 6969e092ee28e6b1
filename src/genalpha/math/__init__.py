"""Level 0: arrays in, arrays out."""

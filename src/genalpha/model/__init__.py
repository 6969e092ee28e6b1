"""Models: shapes of bodies."""

"""All that touches numba's insides: leaves and closures, their files on disk, and how arguments pass."""

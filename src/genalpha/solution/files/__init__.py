"""Solutions in HDF5 files that survive a killed process, and systems as words."""

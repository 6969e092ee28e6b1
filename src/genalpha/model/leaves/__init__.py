"""Compiled functions that read the tables of a model: rows, gaps, forces, inertia."""

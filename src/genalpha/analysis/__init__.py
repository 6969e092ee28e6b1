"""What can be said of a system without a run: checks, equilibria, small motions."""

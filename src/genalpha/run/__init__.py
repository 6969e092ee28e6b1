"""`ga.solve` and `ga.resume`: one run, in chunks of steps, from its arguments to its solution."""

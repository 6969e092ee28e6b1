"""Results by name, along a solution: motion, reactions, contacts, work."""

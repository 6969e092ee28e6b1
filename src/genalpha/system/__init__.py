"""A mechanical system from functions, and the contract that every system fulfils."""

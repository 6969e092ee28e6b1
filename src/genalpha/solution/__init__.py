"""What a run gives back: rows, states between them, energies, figures, files."""

"""Bodies, joints and forces, assembled into a system: models never see how they are integrated."""

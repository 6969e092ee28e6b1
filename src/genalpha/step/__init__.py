"""Level 2: the schemes, each written once, run interpreted or compiled."""

"""The schemes, each written once in the order of its paper: `advance` makes a step."""

"""What a step does about contacts: active sets, law of impact, piles, the log of events."""

"""What users add to a model: plain data, checked when it is made."""

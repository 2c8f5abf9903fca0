"""From a Python function to the three-address form: parse, resolve, lower."""

"""Random programs, an independent reference, and the command that compares the compiler with it."""

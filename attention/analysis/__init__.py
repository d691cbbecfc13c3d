"""Pure functions of runs and traces: what the numbers say."""

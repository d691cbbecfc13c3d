"""How a model knows word order: tables, turns and biases, and what is left without them."""

# One module a library, each with the class Embedder (texts to vectors) and, where the library can run an attention layer
# alone, the function layer(setup, weights, heads, x) that returns what runs one pass.

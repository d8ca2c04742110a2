# sentence-transformers as its documentation uses it: encode(). It tokenizes and sorts by itself.
import sentence_transformers
import torch


class Embedder:
    def __init__(self, setup):
        torch.set_num_threads(setup.threads)
        self.model = sentence_transformers.SentenceTransformer(setup.model, device="cpu")

    def embed(self, lines, size):
        return self.model.encode(lines, batch_size=size, show_progress_bar=False)

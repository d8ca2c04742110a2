# The texts and the layers that everybody is measured on.
import dataclasses
import pathlib
import random

import numpy as np
import tokenizers

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIX = ROOT / "bench" / "data" / "texts-2000.txt"
SHAPES = ROOT / "bench" / "shapes"
SPECIAL = 2  # [CLS] and [SEP]
BLOCK = 64


@dataclasses.dataclass(frozen=True)
class Shape:
    """A MultiHead layer and its input."""

    file: str  # of bench/shapes, without .txt
    batch: int
    tokens: int
    dim: int
    heads: int

    def __str__(self):
        return f"{self.file} {self.batch} x {self.tokens} x {self.dim}, {self.heads} heads"

    def score_bytes(self):
        """What the scores of all heads take at once."""
        return self.batch * self.heads * self.tokens**2 * 4


def shapes():
    for file in sorted(SHAPES.glob("*.txt")):
        for line in file.read_text().splitlines():
            if numbers := line.split("#")[0].split():
                yield Shape(file.stem, *map(int, numbers))


def write_layer(folder, shape):
    """Weights as torch.nn.Linear initializes them, and an input: the same numbers in every run."""
    numbers = np.random.default_rng(1)
    bound = shape.dim**-0.5
    folder.mkdir(parents=True, exist_ok=True)
    for name, size in (("qkv", (3 * shape.dim, shape.dim)), ("out", (shape.dim, shape.dim)), ("bias", shape.dim)):
        numbers.uniform(-bound, bound, size).astype(np.float32).tofile(folder / name)
    numbers.standard_normal((shape.batch, shape.tokens, shape.dim), dtype=np.float32).tofile(folder / "x")


class Texts:
    """Files of texts, one a line, for a model's tokenizer."""

    def __init__(self, model, folder):
        self.tokenizer = tokenizers.Tokenizer.from_file(str(model / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.folder = folder
        self.mix = MIX.read_text(encoding="utf-8").splitlines()
        self.lengths = [len(encoding.ids) for encoding in self.tokenizer.encode_batch(self.mix)]

    def write(self, name, texts):
        file = self.folder / f"{name}.txt"
        file.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
        return file

    def sample(self, count):
        """So many of the mix, drawn at random but always the same."""
        return self.mix if count >= len(self.mix) else random.Random(1).sample(self.mix, count)

    def tuning(self, texts):
        """Some of `texts` to find a batch size with: neighbours by length, so that batches are padded as little as with
        all of them."""
        ordered = sorted(texts, key=lambda text: len(self.tokenizer.encode(text).ids))
        blocks = [ordered[start : start + BLOCK] for start in range(0, len(ordered), BLOCK)]
        return [text for block in blocks[:: max(2, len(blocks) // 4)] for text in block]

    def of_length(self, tokens):
        """The first text of the mix with so many tokens."""
        return self.mix[self.lengths.index(tokens)]

    def equal(self, count, tokens):
        """Texts of exactly so many tokens: random words that are one token each."""
        words = sorted(word for word in self.tokenizer.get_vocab() if word.isascii() and word.isalpha() and len(word) > 3)
        choice = random.Random(tokens)
        texts = [" ".join(choice.choices(words, k=tokens - SPECIAL)) for _ in range(count)]
        if any(len(encoding.ids) != tokens for encoding in self.tokenizer.encode_batch(texts)):
            raise RuntimeError(f"a text of {tokens} words of the vocabulary is not {tokens} tokens long")
        return texts

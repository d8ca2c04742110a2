"""Random models of a few thousand weights, for the scripts that make fixtures of whole model directories."""
import contextlib
import pathlib
import string
import tempfile

from transformers import BertConfig, BertModel, BertTokenizerFast

DIM = 16
WORDS = ["the", "cat", "sat", "hello", "world", "how", "are", "you", "what", "is", "query", "word", "doc"]


def write_vocabulary(directory):
    letters = list(string.ascii_letters)
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *("##" + letter for letter in letters),
              *".,:;!?-", *WORDS]
    (pathlib.Path(directory) / "vocab.txt").write_text("\n".join(tokens) + "\n")
    return len(tokens)


def config(vocabulary, **fields):
    return BertConfig(vocab_size=vocabulary, hidden_size=DIM, num_hidden_layers=2, num_attention_heads=2,
                      intermediate_size=32, max_position_embeddings=64, initializer_range=0.3, **fields)


@contextlib.contextmanager
def transformer(model=BertModel, do_lower_case=True, make_config=config, **fields):
    """A directory of `model`, a class of transformers, with BERT's tokenizer; the weights are random, torch's seed is the
    caller's."""
    with tempfile.TemporaryDirectory() as directory:
        vocabulary = write_vocabulary(directory)
        tokenizer = BertTokenizerFast.from_pretrained(directory, do_lower_case=do_lower_case)
        model(make_config(vocabulary, **fields)).save_pretrained(directory)
        tokenizer.save_pretrained(directory)
        yield directory

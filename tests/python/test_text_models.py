# What all classes of models on texts have in common.
import pickle

import pytest
from conftest import MULTI_VECTOR, TASKS, TOKENS, call_in_process

import headway

MODELS = {
    "reranker": (headway.Reranker, TASKS / "reranker"),
    "classifier": (headway.Classifier, TASKS / "classifier"),
    "sparse": (headway.SparseEmbedder, TASKS / "sparse"),
    "token classifier": (headway.TokenClassifier, TOKENS / "bert"),
    "masked LM": (headway.MaskedLM, TOKENS / "bert"),
    "multi-vector": (headway.MultiVectorEmbedder, MULTI_VECTOR / "bert"),
}
TEXTS = [f"how are you, [MASK] cat {'z ' * (i % 7 * 10)}" for i in range(40)]
each = pytest.mark.parametrize("name", MODELS)


def opened(name, **options):
    kind, directory = MODELS[name]
    return kind(directory, **options)


def results(model, texts):
    """What the model makes of each text, as lists."""
    match model:
        case headway.Reranker():
            return model.score("what is a cat?", texts).tolist()
        case headway.Classifier():
            return model.classify(texts).tolist()
        case headway.SparseEmbedder():
            return [(vector.indices.tolist(), vector.values.tolist()) for vector in model.encode(texts)]
        case headway.TokenClassifier():
            return model.classify(texts, aggregation="simple")
        case headway.MaskedLM():
            return model.fill_mask(texts)
        case headway.MultiVectorEmbedder():
            return [rows.tolist() for rows in model.encode_documents(texts)]


@each
def test_other_texts_order_and_threads_do_not_change_a_bit(name):
    model = opened(name)
    expected = results(model, TEXTS)
    assert len(expected) == len(TEXTS)
    assert results(model, TEXTS[::-1]) == expected[::-1]
    assert results(opened(name, threads=1), TEXTS) == expected
    for i in (0, 6, 39):
        assert results(model, iter(TEXTS[i : i + 1])) == expected[i : i + 1]


@each
def test_no_texts(name):
    assert results(opened(name), []) == []


@each
def test_facts_memory_and_tokens(name):
    short = opened(name, max_length=10, threads=1)
    assert (short.info.max_length, short.info.sources["max_length"], short.info.threads) == (10, "options", 1)
    assert short.info.architecture == "bert" and short.info.vocabulary > 100
    assert len(short.tokenize("a b c d e f g h i j k")[0]) == 10 and short.tokenize([]) == []
    results(short, TEXTS)
    assert short.memory.packed_weights > 0 and short.memory.peak > 0
    short.trim()
    assert short.memory.in_use == 0


@each
def test_pickle(name):
    short = opened(name, max_length=10)
    again = pickle.loads(pickle.dumps(short))
    assert type(again) is type(short) and again.info == short.info
    assert repr(again) == f"headway.{type(short).__name__}({str(MODELS[name][1])!r})"


@each
def test_in_a_forked_child(name):
    model = opened(name)
    assert call_in_process("fork", results, model, TEXTS) == results(model, TEXTS)


@each
def test_a_token_ends_the_call(name):
    token = headway.CancelToken()
    token.cancel()
    model = opened(name)
    call = {
        "reranker": lambda: model.score("a", TEXTS, cancel=token),
        "classifier": lambda: model.classify(TEXTS, cancel=token),
        "sparse": lambda: model.encode(TEXTS, cancel=token),
        "token classifier": lambda: model.classify(TEXTS, cancel=token),
        "masked LM": lambda: model.fill_mask(TEXTS, cancel=token),
        "multi-vector": lambda: model.encode_queries(TEXTS, cancel=token),
    }[name]
    with pytest.raises(headway.Error) as error:
        call()
    assert error.value.code == "cancelled"

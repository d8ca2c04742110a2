# headway.Reranker, Classifier and SparseEmbedder against what sentence-transformers and transformers make of the same
# models (scripts/make_golden_tasks.py).
import json

import numpy as np
import pytest
from conftest import TASKS

import headway

CLASSES = {
    "reranker": headway.Reranker,
    "reranker-identity": headway.Reranker,
    "classifier": headway.Classifier,
    "classifier-multi": headway.Classifier,
    "classifier-regression": headway.Classifier,
    "sparse": headway.SparseEmbedder,
    "sparse-twice": headway.SparseEmbedder,
}


def opened(name, **options):
    return CLASSES[name](TASKS / name, **options)


def expected_of(name):
    return json.loads((TASKS / name / "expected.json").read_text())


def named(prefix):
    return pytest.mark.parametrize("name", [name for name in CLASSES if name.startswith(prefix)])


@named("reranker")
def test_golden_scores_of_rerankers(name):
    golden, reranker = expected_of(name), opened(name)
    documents = golden["documents"]
    for query, expected in zip(golden["queries"], golden["scores"]):
        scores = reranker.score(query, documents)
        assert scores.dtype == np.float32
        np.testing.assert_allclose(scores, expected, atol=1e-5)
        ranked = reranker.rank(query, iter(documents))
        assert sorted(document.index for document in ranked) == list(range(len(documents)))
        assert [document.score for document in ranked] == sorted(scores.tolist(), reverse=True)
        assert all(document.score == scores[document.index] for document in ranked)
        assert reranker.rank(query, documents, top_k=2) == ranked[:2]
        assert reranker.rank(query, documents, top_k=100) == ranked
    assert reranker.info.labels == ["LABEL_0"]
    assert reranker.info.activation == ("identity" if name == "reranker-identity" else "sigmoid")


def test_equal_documents_stay_in_their_order():
    ranked = opened("reranker").rank("a", ["z", "cat", "z", "cat", "z"])
    for document in ("z", "cat"):
        places = [i for i, given in enumerate(["z", "cat", "z", "cat", "z"]) if given == document]
        assert [r.index for r in ranked if r.index in places] == places


@named("classifier")
def test_golden_scores_of_classifiers(name):
    golden, classifier = expected_of(name), opened(name)
    scores = classifier.classify(golden["texts"])
    assert scores.dtype == np.float32 and scores.shape == (len(golden["texts"]), len(golden["labels"]))
    np.testing.assert_allclose(scores, golden["scores"], atol=1e-5)
    assert classifier.labels == golden["labels"] == classifier.info.labels
    for i, text in enumerate(golden["texts"]):
        np.testing.assert_array_equal(classifier.classify(text), scores[i])


def test_activations_of_classifiers():
    activations = [opened(name).info.activation for name in CLASSES if name.startswith("classifier")]
    assert activations == ["softmax", "sigmoid", "identity"]


def dense(vectors):
    result = np.zeros(vectors.shape, np.float32)
    for row, vector in zip(result, vectors):
        row[vector.indices] = vector.values
    return result


@named("sparse")
def test_golden_sparse_vectors(name):
    golden, embedder = expected_of(name), opened(name)
    vectors = embedder.encode(golden["texts"], prompt_name=golden["prompt_name"])
    expected = np.array(golden["vectors"])
    np.testing.assert_allclose(dense(vectors), expected, atol=1e-5)
    assert vectors.shape == expected.shape and len(vectors) == len(golden["texts"])
    assert (vectors.indptr.dtype, vectors.indices.dtype, vectors.data.dtype) == (np.int64, np.int32, np.float32)
    assert vectors.indptr[0] == 0 and vectors.indptr[-1] == len(vectors.indices) == len(vectors.data)
    assert (vectors.data > 0).all()
    prompted = embedder.encode(["query: " + text for text in golden["texts"]])
    np.testing.assert_array_equal(dense(prompted), dense(vectors))
    np.testing.assert_array_equal(dense(embedder.encode(golden["texts"], prompt="query: ")), dense(vectors))


def test_parts_of_sparse_vectors():
    embedder = opened("sparse")
    texts = ["a cat", "", "hello"]
    vectors = embedder.encode(texts)
    alone = embedder.encode("hello")
    assert isinstance(alone, headway.SparseVector) and (np.diff(alone.indices) > 0).all()
    for vector in (vectors[2], vectors[-1], vectors[np.int64(2)], list(vectors)[2]):
        np.testing.assert_array_equal(vector.indices, alone.indices)
        np.testing.assert_array_equal(vector.values, alone.values)
    for index in (3, -4):
        with pytest.raises(IndexError):
            vectors[index]
    with pytest.raises(TypeError):
        vectors[1:2]


def test_sparse_vectors_are_scipys():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    vectors = opened("sparse").encode(["a cat", "", "hello"])
    matrix = scipy_sparse.csr_array((vectors.data, vectors.indices, vectors.indptr), vectors.shape)
    np.testing.assert_array_equal(matrix.toarray(), dense(vectors))


def test_no_documents():
    assert opened("reranker").rank("a cat", []) == []


REFUSED = [
    ("reranker", lambda m: m.score(3, ["a"]), TypeError, "query: expected str, found int"),
    ("reranker", lambda m: m.score("\ud800", ["a"]), ValueError, "query: expected text, found half of a surrogate pair"),
    ("reranker", lambda m: m.score("a", "b"), TypeError, "documents: expected an iterable of str, found str"),
    ("reranker", lambda m: m.score("a", ["b", 3]), TypeError, "documents[1]: expected str, found int"),
    ("reranker", lambda m: m.score("a", ["\udc00"]), ValueError, "documents[0]: expected text, found half"),
    ("reranker", lambda m: m.rank("a", ["b"], top_k=0), ValueError, "top_k: expected 1 or more, below 2**63, found 0"),
    ("reranker", lambda m: m.rank("a", ["b"], top_k=1.5), TypeError, "top_k: expected an integer, found float"),
    ("reranker", lambda m: m.score("a", ["b"], cancel=1), TypeError, "cancel: expected headway.CancelToken, found int"),
    ("classifier", lambda m: m.classify(3), TypeError, "texts: expected str or an iterable of str, found int"),
    ("classifier", lambda m: m.classify(["a", None]), TypeError, "texts[1]: expected str, found NoneType"),
    ("classifier", lambda m: headway.Reranker(TASKS / "classifier"), headway.Error, '"id2label": expected one label'),
    ("sparse", lambda m: m.encode(b"a"), TypeError, "texts: expected str or an iterable of str, found bytes"),
    ("sparse", lambda m: m.encode("a", prompt_name="x"), ValueError, "prompt_name: expected one of document, query"),
    ("sparse", lambda m: m.encode("a", prompt=3), TypeError, "prompt: expected str, found int"),
    ("sparse", lambda m: headway.SparseEmbedder(TASKS / "absent"), headway.Error, "absent"),
    ("sparse", lambda m: headway.Classifier(TASKS / "sparse"), headway.Error, "transformer_task"),
]


@pytest.mark.parametrize("name, call, kind, message", REFUSED, ids=[case[3] for case in REFUSED])
def test_refused(name, call, kind, message):
    with pytest.raises(kind) as error:
        call(opened(name))
    assert message in str(error.value)

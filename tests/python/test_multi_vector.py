# headway.MultiVectorEmbedder against MultiVectorEncoder of sentence-transformers on the same models
# (scripts/make_golden_multi_vector.py).
import json

import numpy as np
import pytest
from conftest import MULTI_VECTOR

import headway

NAMES = [directory.name for directory in sorted(MULTI_VECTOR.iterdir())]


@pytest.mark.parametrize("name", NAMES)
def test_golden_vectors_and_scores(name):
    embedder = headway.MultiVectorEmbedder(MULTI_VECTOR / name)
    golden = json.loads((MULTI_VECTOR / name / "expected.json").read_text())
    for case in golden["cases"]:
        expected = {part: case.pop(part) for part in ("queries", "documents", "scores")}
        queries = embedder.encode_queries(golden["queries"], **case)
        documents = embedder.encode_documents(golden["documents"], **case)
        for got, wanted in ((queries, expected["queries"]), (documents, expected["documents"])):
            assert len(got) == len(wanted)
            for rows, numbers in zip(got, wanted):
                assert rows.dtype == np.float32 and rows.shape == (len(numbers), embedder.info.dim)
                np.testing.assert_allclose(rows, np.reshape(numbers, rows.shape), atol=1e-5)
        for query, scores in zip(queries, expected["scores"]):
            got = [embedder.similarity(query, document) for document in documents]
            np.testing.assert_allclose(got, scores, rtol=1e-5, atol=1e-5 * (1 + len(query)))


@pytest.mark.parametrize("name", NAMES)
def test_scores_are_similarities(name):
    embedder = headway.MultiVectorEmbedder(MULTI_VECTOR / name)
    golden = json.loads((MULTI_VECTOR / name / "expected.json").read_text())
    documents = embedder.encode_documents(golden["documents"])
    for text in golden["queries"]:
        query = embedder.encode_queries(text)
        scores = embedder.score(text, golden["documents"])
        assert scores.tolist() == [embedder.similarity(query, document) for document in documents]
        ranked = embedder.rank(text, golden["documents"], top_k=3)
        assert [r.score for r in ranked] == sorted(scores.tolist(), reverse=True)[:3]
        assert all(r.score == scores[r.index] for r in ranked)


def test_vectors_from_elsewhere():
    embedder = headway.MultiVectorEmbedder(MULTI_VECTOR / "bert")
    query, document = embedder.encode_queries("what is a cat?"), embedder.encode_documents("the cat sat.")
    expected = embedder.similarity(query, document)
    wide = np.zeros((len(document), 2 * embedder.info.dim), np.float32)
    wide[:, ::2] = document
    assert embedder.similarity(query, wide[:, ::2]) == expected
    assert embedder.similarity(np.asfortranarray(query), document) == expected
    with pytest.raises(ValueError, match=r"document: expected \[tokens, 6\], found the shape \[.*, 12\]"):
        embedder.similarity(query, wide)
    with pytest.raises(TypeError, match="query: expected float32, found float64"):
        embedder.similarity(query.astype(np.float64), document)
    with pytest.raises(ValueError, match="query: expected 2 dimensions"):
        embedder.similarity(query[0], document)


def test_refused():
    embedder = headway.MultiVectorEmbedder(MULTI_VECTOR / "bert")
    assert embedder.encode_queries([]) == [] and embedder.encode_documents([]) == []
    with pytest.raises(TypeError, match="texts: expected str or an iterable of str, found int"):
        embedder.encode_queries(3)
    with pytest.raises(ValueError, match="prompt_name: expected one of"):
        embedder.encode_documents("a", prompt_name="x")
    with pytest.raises(headway.Error, match="absent"):
        headway.MultiVectorEmbedder(MULTI_VECTOR / "absent")

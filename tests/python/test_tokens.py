# headway.TokenClassifier and MaskedLM against the pipelines of transformers on the same models
# (scripts/make_golden_tokens.py).
import json

import pytest
from conftest import TOKENS

import headway

NAMES = [directory.name for directory in sorted(TOKENS.iterdir())]
AGGREGATIONS = ["none", "simple", "first", "average", "max"]


def expected_of(name):
    return json.loads((TOKENS / name / "expected.json").read_text())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_golden_entities(name, aggregation):
    golden, classifier = expected_of(name), headway.TokenClassifier(TOKENS / name)
    options = {"aggregation": aggregation} | ({"ignored_labels": []} if aggregation == "none" else {})
    found = classifier.classify(golden["texts"], **options)
    assert len(found) == len(golden["texts"])
    for text, entities, expected in zip(golden["texts"], found, golden["entities"][aggregation]):
        assert [(e.label, e.word, e.start, e.end) for e in entities] == [(e[0], *e[2:]) for e in expected]
        assert [e.score for e in entities] == pytest.approx([e[1] for e in expected], abs=1e-5)
        assert classifier.classify(text, **options) == entities


def test_labels_of_entities():
    classifier = headway.TokenClassifier(TOKENS / "bert")
    assert classifier.labels == ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
    texts = expected_of("bert")["texts"]
    whole = [e for entities in classifier.classify(texts, ignored_labels=()) for e in entities]
    kept = [e for entities in classifier.classify(texts) for e in entities]
    assert kept == [e for e in whole if e.label != "O"] and len(kept) < len(whole)
    assert [e.label for e in whole] != [] and {e.label for e in whole} <= set(classifier.labels)


@pytest.mark.parametrize("name", NAMES)
def test_golden_masks(name):
    golden, model = expected_of(name), headway.MaskedLM(TOKENS / name)
    filled = model.fill_mask(golden["masked"], top_k=3)
    assert len(filled) == len(golden["masked"]) and all(model.mask_token in text for text in golden["masked"])
    for text, masks, expected in zip(golden["masked"], filled, golden["masks"]):
        assert [[(t.id, t.text) for t in mask] for mask in masks] == [[tuple(t[:2]) for t in mask] for mask in expected]
        assert [t.score for mask in masks for t in mask] == pytest.approx([t[2] for m in expected for t in m], abs=1e-5)
        assert model.fill_mask(text, top_k=3) == masks
        assert [len(mask) for mask in model.fill_mask(text)] == [5] * len(masks)


def classify(*arguments, **options):
    return headway.TokenClassifier(TOKENS / "bert").classify(*arguments, **options)


def fill(*arguments, **options):
    return headway.MaskedLM(TOKENS / "bert").fill_mask(*arguments, **options)


REFUSED = [
    (lambda: classify(3), TypeError, "texts: expected str or an iterable of str, found int"),
    (lambda: classify("a", aggregation="all"), ValueError, "aggregation: expected one of none, simple, first, average"),
    (lambda: classify("a", aggregation=1), TypeError, "aggregation: expected str, found int"),
    (lambda: classify("a", ignored_labels="O"), TypeError, "ignored_labels: expected an iterable of str, found str"),
    (lambda: classify("a", ignored_labels=[1]), TypeError, "ignored_labels: expected str, found int"),
    (lambda: fill(["[MASK]", "no gap"]), ValueError, "texts[1]: no mask token"),
    (lambda: fill("[MASK]", top_k=0), ValueError, "top_k: expected 1 or more"),
    (lambda: fill("[MASK]", top_k=1.5), TypeError, "top_k: expected an integer, found float"),
    (lambda: fill("[MASK]", top_k=2**62), ValueError, "top_k: "),
    (lambda: fill("[MASK]", top_k=2**70), ValueError, "top_k: expected 1 or more, below 2**63"),
    (lambda: headway.MaskedLM(TOKENS / "absent"), headway.Error, "absent"),
]


@pytest.mark.parametrize("call, kind, message", REFUSED, ids=[f"{case[2]} {i}" for i, case in enumerate(REFUSED)])
def test_refused(call, kind, message):
    with pytest.raises(kind) as error:
        call()
    assert message in str(error.value)

# headway.Tokenizer against what the library `tokenizers` gives, and what the class adds.
import json
import pickle

import numpy as np
import pytest
from conftest import MODEL, ROOT, golden_lines

import headway

TOKENIZERS = ROOT / "tests/golden/tokenizer"


@pytest.fixture(scope="session")
def tokenizer():
    return headway.Tokenizer(MODEL)


def lines_of(name):
    with open(TOKENIZERS / name, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def changed_file(folder, name):
    """A kind of offsets.jsonl: a file of models/ with some texts replaced."""
    (kind,) = [line for line in lines_of("offsets.jsonl") if line["name"] == name]
    text = (TOKENIZERS / "models" / f"{kind['model']}.json").read_text(encoding="utf-8")
    for old, new in kind["changes"]:
        text = text.replace(old, new)
    path = folder / "any-name.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_golden_ids(tokenizer, texts):
    expected = golden_lines("ids.jsonl")
    assert [e.ids.tolist() for e in tokenizer.encode_batch(texts, max_length=256)] == expected
    assert tokenizer.encode(texts[0], max_length=256).ids.tolist() == expected[0]


def test_golden_windows(tmp_path):
    lines = [line for line in lines_of("windows.jsonl") if "kind" in line]
    refused = several = 0
    for line in lines:
        tokenizer = headway.Tokenizer(changed_file(tmp_path, line["kind"]))
        for first, second, length, stride, strategy, side, special, expected in line["cases"]:
            options = {"max_length": length, "strategy": strategy, "side": side, "add_special_tokens": special}

            def windows():
                return tokenizer.encode_windows(first, second, stride=stride, offsets=True, **options)

            if expected is None:
                refused += 1
                with pytest.raises(headway.ArgumentError):
                    windows()
                continue
            found = [[w.ids.tolist(), w.type_ids.tolist(), *w.offsets.T.tolist()] for w in windows()]
            assert found == expected
            assert tokenizer.encode(first, second, **options).ids.tolist() == expected[0][0]
            several += len(expected) > 1
    assert len(lines) == 2 and refused > 5 and several > 20


def test_what_an_encoding_holds(tokenizer):
    encoding = tokenizer.encode("É 👍 cat", "a mat", offsets=True)
    assert encoding.ids.dtype == encoding.type_ids.dtype == encoding.texts.dtype == np.int32
    assert encoding.ids.tolist()[:2] == [101, 1041] and not encoding.truncated
    assert encoding.type_ids.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert encoding.texts.tolist() == [-1, 0, 0, 0, -1, 1, 1, -1]
    assert encoding.offsets.tolist() == [[0, 0], [0, 1], [2, 3], [4, 7], [0, 0], [0, 1], [2, 5], [0, 0]]
    plain = tokenizer.encode("É 👍 cat")
    assert plain.offsets is None and plain.texts is None and plain.type_ids.tolist() == [0] * 5
    empty = tokenizer.encode("", add_special_tokens=False, offsets=True)
    assert empty.ids.shape == (0,) and empty.offsets.shape == (0, 2)


def test_batches(tokenizer):
    assert tokenizer.encode_batch([]) == []
    texts = ["a cat", "", "two dogs"]
    for found, text in zip(tokenizer.encode_batch(iter(texts)), texts, strict=True):
        np.testing.assert_array_equal(found.ids, tokenizer.encode(text).ids)
    pairs = [("a cat", "b"), ("", "two dogs")]
    for found, pair in zip(tokenizer.encode_batch(pairs, max_length=6), pairs, strict=True):
        expected = tokenizer.encode(*pair, max_length=6)
        np.testing.assert_array_equal(found.ids, expected.ids)
        np.testing.assert_array_equal(found.type_ids, expected.type_ids)


def test_options(tokenizer):
    ids = tokenizer.encode("one two three", max_length=4)
    assert ids.truncated and ids.ids.tolist() == [101, 2028, 2048, 102]
    assert tokenizer.encode("one two three", max_length=4, side="left").ids.tolist() == [101, 2048, 2093, 102]
    assert tokenizer.encode("[SEP]", add_special_tokens=False).ids.tolist() == [102]
    as_text = tokenizer.encode("[SEP]", add_special_tokens=False, encode_special_tokens=True).ids
    assert tokenizer.decode(as_text) == "[ sep ]" and len(as_text) > 1
    cut = tokenizer.encode("one two three", "four five", max_length=6, strategy="only_first")
    assert cut.ids.tolist() == [101, 2028, 102, 2176, 2274, 102]


def test_tokens(tokenizer):
    assert tokenizer.decode([101, 4937, 102]) == "cat"
    assert tokenizer.decode(np.array([101, 4937, 102]), skip_special_tokens=False) == "[CLS] cat [SEP]"
    assert tokenizer.decode([]) == "" and tokenizer.decode([-1, 10**6]) == ""
    assert tokenizer.token_to_id("cat") == 4937 and tokenizer.token_to_id("no such token") is None
    assert tokenizer.id_to_token(4937) == "cat" and tokenizer.id_to_token(10**6) is None
    assert (tokenizer.vocab_size, tokenizer.special_tokens, tokenizer.pair_special_tokens) == (30522, 2, 3)
    assert tokenizer.model_max_length == 512
    assert tokenizer.special_token("mask_token") == 103 and tokenizer.special_token("no_token") is None


def test_a_file_alone(tokenizer, tmp_path):
    path = tmp_path / "name.json"
    path.write_bytes((MODEL / "tokenizer.json").read_bytes())
    alone = pickle.loads(pickle.dumps(headway.Tokenizer(path)))
    assert alone.model_max_length is None
    np.testing.assert_array_equal(alone.encode("A cat").ids, tokenizer.encode("A cat").ids)


REFUSED = [
    (lambda t: t.encode(3), TypeError, "text: expected str, found int"),
    (lambda t: t.encode("a", b"b"), TypeError, "pair: expected str, found bytes"),
    (lambda t: t.encode("\ud800"), ValueError, "expected text, found half of a surrogate pair"),
    (lambda t: t.encode_batch("a"), TypeError, "texts: expected an iterable of str, found str"),
    (lambda t: t.encode_batch(["a", 3]), TypeError, "texts[1]: expected str, found int"),
    (lambda t: t.encode_batch([("a", "b"), "c"]), TypeError, "texts[1]: expected two texts, as texts[0] is"),
    (lambda t: t.encode_batch([("a", "b", "c")]), TypeError, "texts[0]: expected two texts"),
    (lambda t: t.encode("a", max_length=-1), ValueError, "max_length: expected 0 or more, below 2**63, found -1"),
    (lambda t: t.encode("a", max_length=1), ValueError, "max_length: expected at least 2, the number of special tokens"),
    (lambda t: t.encode("a", strategy="none"), ValueError, "strategy: expected one of longest_first"),
    (lambda t: t.encode("a", side="top"), ValueError, 'side: expected one of right, left, found "top"'),
    (lambda t: t.encode_windows("a b c", max_length=4, stride=2), ValueError, "stride: expected less than 2"),
    (lambda t: t.encode_windows("a", max_length=4, stride=1.5), TypeError, "stride: expected an integer"),
    (lambda t: t.decode([2**31]), ValueError, "ids[0]: expected an id of 32 bits, found 2147483648"),
    (lambda t: t.decode("cat"), TypeError, "ids: expected integers"),
    (lambda t: t.id_to_token("cat"), TypeError, "ids: expected integers"),
    (lambda t: headway.Tokenizer(3), TypeError, "path: "),
    (lambda t: headway.Tokenizer(MODEL / "absent"), headway.Error, "absent: expected a model directory or a tokenizer.json"),
    (lambda t: headway.Tokenizer(MODEL / "vocab.txt"), headway.Error, "vocab.txt"),
]


@pytest.mark.parametrize("call, kind, message", REFUSED, ids=[case[2] for case in REFUSED])
def test_refused(tokenizer, call, kind, message):
    with pytest.raises(kind) as error:
        call(tokenizer)
    assert message in str(error.value)

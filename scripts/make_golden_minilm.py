#!/usr/bin/env python3
"""Writes tests/golden/minilm/ and tests/golden/minilm-resaved/: all-MiniLM-L6-v2 as the reference runs it.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_minilm.py MODEL_DIRECTORY

MODEL_DIRECTORY is all-MiniLM-L6-v2 (scripts/get_model.sh). The files:

minilm/texts.jsonl        varied texts, a JSON string each line
minilm/ids.jsonl          their ids by `tokenizers`, truncated to 256, not padded
minilm/embeddings.npy     float32 [texts, 384] by SentenceTransformer.encode on the CPU
minilm/hidden_N.npy       float32 [tokens, 384], last hidden state of text N alone, for three texts
minilm/attention_N.npy    float32 [6, 12, tokens, tokens], attention weights of text N alone, for one text
minilm-resaved/           the small files that SentenceTransformer.save writes today. The weights, and
                          what tokenizer.json says but for its saved truncation and padding, are
                          checked to be those of MODEL_DIRECTORY, and left out: a test puts the
                          shipped ones beside these files.
"""
import json
import pathlib
import random
import shutil
import sys
import tempfile

import numpy as np
import torch
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests/golden/minilm"
RESAVED = ROOT / "tests/golden/minilm-resaved"
TEXTS = 512


def handwritten():
    yield from [
        "", " ", "   \t\n  ", "\u3000\u2003", "\u200b", "a", ".", "?!", "Hello, world!", "hello world", "HELLO WORLD",
        "The quick brown fox jumps over the lazy dog.", "A man is eating food.", "A man is eating a piece of bread.",
        "Each head looks at 8 numbers", "don't can't won't it's", "e-mail: someone@example.org, tel. +49-30-123456",
        "https://example.org/a/b?c=d&e=f#g", "3.14159 2,718,281 1e-12 0xDEADBEEF 50% $99.95 €20 ½ ² №5",
        "for (int i = 0; i < n; ++i) { sum += a[i] * b[i]; }  // O(n)", "def f(x):\n\treturn x ** 2 if x > 0 else -x",
        "SELECT name, count(*) FROM users WHERE id != 7 GROUP BY name;", "{\"key\": [1, 2, null], \"other\": true}",
        "<html><body class=\"x\">&nbsp;</body></html>", "C:\\Windows\\System32", "# Heading\n\n* one\n* two\n\n`code`",
        "日本語のテキストです。", "我喜欢机器学习和自然语言处理。", "한국어 문장입니다.", "これはカタカナとひらがなと漢字", "𠀀𠀁 𪜀 𫠝",
        "Café naïve résumé coöperate Ångström", "Cafe\u0301 nai\u0308ve", "Þórður Æsir Œuvre ß ẞ straße", "İstanbul ıssız",
        "Tiếng Việt có dấu thanh", "Ελληνικά κείμενο Σίσυφος ΣΊΣΥΦΟΣ", "Русский текст, ёлка и йод", "Українська мова",
        "שלום עולם", "שָׁלוֹם", "مرحبا بالعالم", "السَّلَامُ عَلَيْكُمْ", "हिन्दी में एक वाक्य", "ภาษาไทยไม่มีช่องว่าง", "தமிழ் மொழி", "ქართული ენა ᲥᲐᲠᲗᲣᲚᲘ",
        "Հայերեն", "አማርኛ", "ខ្មែរ", "မြန်မာ", "😀", "😀😃😄 smile", "👩‍👩‍👧‍👦 family", "🇩🇪🇫🇷", "👍🏽 ok", "☃ snow ❄️", "a\u0000b\u0001c\u007fd",
        "tab\tnew\nline\rreturn\u000bvt\u000cff", "nel\u0085nbsp\u00a0zwj\u200dbom\ufeff", "soft\u00adhyphen", "\ufffd replaced", "\ue000 private \U000f0000",
        "[CLS] [SEP] [MASK] [PAD] [UNK]", "Paris is the [MASK] of France.", "text[SEP]text", "[cls] [mask ]", "[[MASK]]", "[unused5] [unused999]",
        "Donaudampfschifffahrtsgesellschaftskapitän", "x" * 99, "x" * 100, "x" * 101, "é" * 100, "ab" * 300, "!" * 40, "." * 300,
        "pneumonoultramicroscopicsilicovolcanoconiosis", "ﬁ ﬂ ﬀ ligatures ℌ ① ㍿ ｆｕｌｌ ｗｉｄｔｈ", "“quotes” ‘single’ – — … • ¿ ¡ « »",
        "x\u0301\u0323\u0334\u0315y", "\u0301start", "한\u1100\u1161\u11a8글", "mixed 中文 and English 混合 text テスト 123", "Z̸̡͓a̵͉l̶̰g̷o̴",
        "∑∫√∞ ≈ ≠ ≤ α β γ ∂x/∂t", "C++20 C# F# .NET node.js", "１２３４５", "٠١٢٣", "Ⅷ ⅷ", "ǅ ǆ Ǆ", "\u2028line\u2029paragraph", "\u180e\u2060\u061c",
    ]


def varied():
    rng = random.Random(20)
    lines = (ROOT / "bench/data/texts-2000.txt").read_text(encoding="utf-8").splitlines()
    texts = list(handwritten())
    texts += rng.sample(lines, 180)
    fragments = [t for t in texts[:110] if t.strip() and len(t) < 80]
    while len(texts) < TEXTS - 12:  # mixtures of scripts, cut anywhere
        text = " ".join(rng.sample(fragments, rng.randrange(1, 6)))
        start = rng.randrange(len(text))
        texts.append(text[start:start + rng.choice([3, 10, 30, 60, 120])])
    for _ in range(12):  # around and beyond the limit of 256
        texts.append(" ".join(rng.sample(lines, 20))[:rng.choice([1100, 1250, 1400, 2500])])
    return texts[:TEXTS]


def write_lines(path, values):
    path.write_text("".join(json.dumps(v, ensure_ascii=False, separators=(",", ":")) + "\n" for v in values),
                    encoding="utf-8")


def resave(model, directory):
    with tempfile.TemporaryDirectory() as folder:
        saved = pathlib.Path(folder)
        model.save(folder, create_model_card=False)
        before, after = load_file(directory / "model.safetensors"), load_file(saved / "model.safetensors")
        # The position numbers are no weights; today's library does not save them.
        before.pop("embeddings.position_ids", None)
        assert before.keys() == after.keys() and all(torch.equal(before[k], after[k]) for k in before)
        old, new = (json.loads((d / "tokenizer.json").read_text(encoding="utf-8")) for d in (directory, saved))
        for key in ("truncation", "padding"):
            old.pop(key), new.pop(key)
        for key in sorted(old.keys() | new.keys()):
            assert old.get(key) == new.get(key), key
        shutil.rmtree(RESAVED, ignore_errors=True)
        for path in sorted(saved.rglob("*")):
            if path.is_file() and path.name not in ("model.safetensors", "tokenizer.json", "vocab.txt", "README.md"):
                assert path.stat().st_size < 10000, path
                target = RESAVED / path.relative_to(saved)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


def main():
    directory = pathlib.Path(sys.argv[1])
    texts = varied()
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    ids = [tokenizer.encode(text).ids for text in texts]

    model = SentenceTransformer(str(directory), device="cpu")
    embeddings = model.encode(texts, batch_size=32, convert_to_numpy=True)
    assert embeddings.dtype == np.float32 and embeddings.shape == (len(texts), 384)

    GOLDEN.mkdir(parents=True, exist_ok=True)
    write_lines(GOLDEN / "texts.jsonl", texts)
    write_lines(GOLDEN / "ids.jsonl", ids)
    np.save(GOLDEN / "embeddings.npy", embeddings)
    bert = model[0].auto_model
    eight = texts.index("Each head looks at 8 numbers")
    for n in (texts.index("a"), eight,
              texts.index("mixed 中文 and English 混合 text テスト 123")):
        with torch.no_grad():
            hidden = bert(input_ids=torch.tensor([ids[n]])).last_hidden_state[0]
        np.save(GOLDEN / f"hidden_{n}.npy", hidden.numpy())
    bert.set_attn_implementation("eager")  # others give no weights
    with torch.no_grad():
        attention = bert(input_ids=torch.tensor([ids[eight]]), output_attentions=True).attentions
    np.save(GOLDEN / f"attention_{eight}.npy", torch.cat(attention).numpy())
    resave(model, directory)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes tests/golden/multi_vector/: small random late-interaction models, as sentence-transformers saves and runs them.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_multi_vector.py

Each folder is a model directory, and expected.json in it says what MultiVectorEncoder makes of some texts:
{"queries": [...], "documents": [...], "cases": [{"prompt" | "prompt_name": ..., "queries": [[token vector, ...], ...],
"documents": [...], "scores": [of each query [of each document]]}, ...]}. Vectors are those of the tokens that are kept.
"""
import json
import pathlib
import shutil
import string

import torch
import transformers
from sentence_transformers import MultiVectorEncoder
from sentence_transformers.base.modules import Dense, Normalize, Transformer
from sentence_transformers.multi_vector_encoder.modules import MultiVectorMask
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer, BertConfig, BertModel, ModernBertConfig, ModernBertModel, MPNetConfig, MPNetModel

import tiny_reference

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests/golden/multi_vector"
DIM, OUT = 8, 6
TOKENS = "token_embeddings"
QUERIES = ["", "a", "what is a cat?", "how are you, cat? " * 4]
DOCUMENTS = ["", "the cat sat.", "?!", "hello world, how are you? " * 4, "The Cat is a cat!"]


def numbers(rows):
    return [[round(float(value), 6) for value in row] for row in rows]


def case(model, **prompt):
    queries = model.encode_query(QUERIES, **prompt)
    documents = model.encode_document(DOCUMENTS, **prompt)
    return prompt | {"queries": [numbers(rows) for rows in queries], "documents": [numbers(rows) for rows in documents],
                     "scores": numbers(model.similarity(queries, documents))}


def write_expected(name, cases=({},)):
    """The directory is opened as anybody would."""
    model = MultiVectorEncoder(str(GOLDEN / name), device="cpu")
    results = [case(model, **prompt) for prompt in cases]
    expected = {"queries": QUERIES, "documents": DOCUMENTS, "cases": results}
    (GOLDEN / name / "expected.json").write_text(json.dumps(expected) + "\n")


def save(name, modules, **arguments):
    for module in modules[1:]:
        for parameter in module.parameters():
            torch.nn.init.normal_(parameter, std=0.4)
    MultiVectorEncoder(modules=modules, **arguments).save(str(GOLDEN / name), create_model_card=False)


def dense(bias, activation):
    return Dense(DIM, OUT, bias=bias, activation_function=activation, module_input_name=TOKENS)


def sizes(vocabulary, **fields):
    return dict(vocab_size=vocabulary, hidden_size=DIM, num_hidden_layers=2, num_attention_heads=2,
                intermediate_size=12, max_position_embeddings=40, initializer_range=0.5) | fields


def bert(vocabulary):
    return BertConfig(**sizes(vocabulary))


def modernbert(vocabulary):
    """With a window so small that expansion tokens far from the text see no key at all in the second layer."""
    return ModernBertConfig(**sizes(vocabulary), initializer_cutoff_factor=3.0, local_attention=8,
                            global_attn_every_n_layers=2, pad_token_id=0, cls_token_id=2, sep_token_id=3,
                            bos_token_id=2, eos_token_id=3)


def mpnet(vocabulary):
    return MPNetConfig(**sizes(vocabulary, num_hidden_layers=1), pad_token_id=0)


def write_json(path, content):
    path.write_text(json.dumps(content, indent=2) + "\n")


def pylate(name):
    """As PyLate saves it: no mask and no Normalize, what they say in one file, tokens as prefixes."""
    with tiny_reference.transformer(BertModel, make_config=bert) as directory:
        tokenizer = AutoTokenizer.from_pretrained(directory)
        tokenizer.add_tokens(["[Q] ", "[D] "])
        model = BertModel.from_pretrained(directory)
        model.resize_token_embeddings(len(tokenizer))
        torch.nn.init.normal_(model.embeddings.word_embeddings.weight, std=0.5)
        model.save_pretrained(directory)
        tokenizer.save_pretrained(directory)
        save(name, [Transformer(directory), dense(False, torch.nn.Identity())])
    folder = GOLDEN / name
    modules = json.loads((folder / "modules.json").read_text())
    modules[1]["type"] = "pylate.models.Dense.Dense"
    write_json(folder / "modules.json", modules)
    config = json.loads((folder / "1_Dense/config.json").read_text())
    for field in ("module_input_name", "module_output_name"):
        del config[field]
    write_json(folder / "1_Dense/config.json", config | {"use_residual": False})
    write_json(folder / "sentence_bert_config.json", {"max_seq_length": 19, "do_lower_case": False})
    write_json(folder / "config_sentence_transformers.json",
               {"prompts": {"query": "cat ", "document": "[D] the "}, "default_prompt_name": None,
                "similarity_fn_name": "MaxSim", "query_prefix": "[Q] ", "document_prefix": "[D] ", "query_length": 12,
                "document_length": 20, "attend_to_expansion_tokens": True, "skiplist_words": ["!", "?", "nothing"],
                "do_query_expansion": True})


def stanford(name):
    """As the paper's own code saves it: one file of weights, and artifact.metadata."""
    with tiny_reference.transformer(BertModel, make_config=bert) as directory:
        shutil.copytree(directory, GOLDEN / name)
    folder = GOLDEN / name
    (folder / "vocab.txt").unlink(missing_ok=True)
    config = json.loads((folder / "config.json").read_text())
    write_json(folder / "config.json", config | {"architectures": ["HF_ColBERT"]})
    tensors = {"bert." + tensor: values for tensor, values in load_file(folder / "model.safetensors").items()}
    tensors["linear.weight"] = torch.randn(OUT, DIM)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    write_json(folder / "artifact.metadata",
               {"query_token_id": "##Q", "doc_token_id": "[unused1]", "query_maxlen": 14, "doc_maxlen": 18,
                "dim": OUT, "mask_punctuation": True, "attend_to_mask_tokens": False})


def main():
    shutil.rmtree(GOLDEN, ignore_errors=True)
    torch.manual_seed(17)
    transformers.logging.set_verbosity_error()
    punctuation = MultiVectorMask(skiplist_words=list(string.punctuation))
    with tiny_reference.transformer(BertModel, make_config=bert) as directory:
        # The paper's: queries filled up with mask tokens that are attended to by none.
        transformer = Transformer(directory, document_length=20,
                                  query_expansion={"strategy": "fixed", "length": 12})
        save("bert", [transformer, dense(False, torch.nn.Identity()), punctuation, Normalize(TOKENS)],
             prompts={"query": "query: ", "document": "doc: ", "other": "cat "})
        write_expected("bert", [{}, {"prompt_name": "other"}])
    with tiny_reference.transformer(ModernBertModel, make_config=modernbert) as directory:
        transformer = Transformer(directory, query_length=8)
        both = MultiVectorMask(skiplist_words=["?", "cat"], skiplist_tasks=["query", "document"])
        save("modernbert", [transformer, dense(True, torch.nn.Tanh()), both], similarity_fn_name="meanmaxsim")
        write_expected("modernbert")
        transformer = Transformer(directory, query_expansion={"strategy": "min", "length": 14})
        save("modernbert-expanded", [transformer, dense(True, torch.nn.GELU()), punctuation, Normalize(TOKENS)])
        write_expected("modernbert-expanded")
    with tiny_reference.transformer(MPNetModel, make_config=mpnet) as directory:
        expansion = {"strategy": "fixed", "length": 10, "attend": True, "token": "word"}
        transformer = Transformer(directory, query_expansion=expansion)
        the, cat = 116, 117
        kept = MultiVectorMask(keep_only_token_ids=[the, cat])  # documents without either have no vectors
        save("attended", [transformer, kept, Normalize(TOKENS)])
        write_expected("attended")
    pylate("pylate")
    write_expected("pylate", [{}, {"prompt": "hello "}])
    stanford("stanford")
    write_expected("stanford")


if __name__ == "__main__":
    main()

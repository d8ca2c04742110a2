#!/usr/bin/env python3
"""Writes tests/golden/models/: small models of each architecture with random weights, and what they make of a batch.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_models.py [NAME...]

NAME/config.json, NAME/model.safetensors   as transformers saves them, in the form that its line of MODELS says
NAME/expected.safetensors                  "lengths", "ids" and "type_ids" of a ragged batch (int32), and as float32
                                           "hidden" [all tokens, dim] and "attention" [layers, heads, T, T] of the
                                           sequence number ATTENDED

The reference runs the batch padded to its longest sequence, with an attention mask, in float64. Weights are random and
much larger than an untrained model's, so that attention is uneven and a wrong position shows.
"""
import json
import pathlib
import shutil
import sys

import torch
import transformers
from safetensors.torch import load_file, save_file

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests/golden/models"
LENGTHS = [5, 1, 17, 140, 33]  # one longer than MPNet's and ModernBERT's distances
ATTENDED = 2
VOCABULARY, DIM, HEADS, INNER = 50, 24, 3, 40
BERT_SIZES = dict(vocab_size=VOCABULARY, hidden_size=DIM, num_hidden_layers=2, num_attention_heads=HEADS,
                  intermediate_size=INNER, max_position_embeddings=150, layer_norm_eps=1e-5)


def randomize(model, seed):
    """Weights of about 1 / sqrt(in), but for norms (around 1), biases and tables of embeddings."""
    generator = torch.Generator().manual_seed(seed)
    for name, parameter in sorted(model.named_parameters()):
        values = torch.randn(parameter.shape, generator=generator)
        if parameter.dim() < 2:
            values = 0.3 * values + (1 if "norm" in name.lower() and "weight" in name else 0)
        elif "embeddings" not in name and "relative" not in name:
            values *= 1.5 / parameter.shape[1] ** 0.5
        parameter.data.copy_(values)


def batch(config, pad, pads_inside):
    generator = torch.Generator().manual_seed(1)
    ids = torch.full((len(LENGTHS), max(LENGTHS)), pad)
    types, mask = torch.zeros_like(ids), torch.zeros_like(ids)
    for i, length in enumerate(LENGTHS):
        ids[i, :length] = torch.randint(pad + 1, VOCABULARY, (length,), generator=generator)
        if getattr(config, "type_vocab_size", 0) > 1:
            types[i, length // 2 : length] = 1
        mask[i, :length] = 1
    if pads_inside:
        ids[0, 2] = ids[3, 50] = ids[3, 51] = pad
    return ids, types, mask


def write_expected(directory, config, run, pads_inside=False):
    """run(ids, type ids, mask) gives hidden states and attention weights, padded."""
    pad = getattr(config, "pad_token_id", 0) or 0
    ids, types, mask = batch(config, pad, pads_inside)
    with torch.no_grad():
        hidden, attention = run(ids, types, mask)
    length, seen = LENGTHS[ATTENDED], mask.bool()
    attention = torch.stack([layer[ATTENDED, :, :length, :length] for layer in attention])
    save_file({"lengths": torch.tensor(LENGTHS, dtype=torch.int32), "ids": ids[seen].int(),
               "type_ids": types[seen].int(), "hidden": hidden[seen].float().contiguous(),
               "attention": attention.float().contiguous()}, directory / "expected.safetensors")


def encoder_of(model):
    return getattr(model, model.base_model_prefix, model)


def write_model(name, model, seed, dtype=torch.float32, pads_inside=False, shard="1GB", rename=None):
    directory = GOLDEN / name
    shutil.rmtree(directory, ignore_errors=True)
    randomize(model, seed)
    model.eval().to(dtype).save_pretrained(directory, max_shard_size=shard)
    (directory / "generation_config.json").unlink(missing_ok=True)
    if rename:
        path = directory / "model.safetensors"
        save_file(dict(rename(key, tensor) for key, tensor in load_file(path).items()), path, {"format": "pt"})
    encoder = encoder_of(model).double()
    encoder.set_attn_implementation("eager")

    def run(ids, types, mask):
        arguments = {"input_ids": ids, "attention_mask": mask, "output_attentions": True}
        if getattr(model.config, "type_vocab_size", 0) > 1:
            arguments["token_type_ids"] = types
        out = encoder(**arguments)
        return out.last_hidden_state, out.attentions

    write_expected(directory, model.config, run, pads_inside)


def gamma_and_beta(key, tensor):
    if "LayerNorm" in key:
        key = key.replace(".weight", ".gamma").replace(".bias", ".beta")
    return key, tensor


def bert():
    model = transformers.BertForMaskedLM(transformers.BertConfig(**BERT_SIZES))
    write_model("bert", model, 1, rename=gamma_and_beta)


def distilbert():
    config = transformers.DistilBertConfig(vocab_size=VOCABULARY, dim=DIM, n_layers=2, n_heads=HEADS, hidden_dim=INNER,
                                           max_position_embeddings=150)
    write_model("distilbert", transformers.DistilBertForMaskedLM(config), 2)


def roberta():
    config = transformers.RobertaConfig(**BERT_SIZES, type_vocab_size=1)
    write_model("roberta", transformers.RobertaForMaskedLM(config), 3, pads_inside=True)


def xlm_roberta():
    config = transformers.XLMRobertaConfig(**BERT_SIZES, type_vocab_size=1)
    write_model("xlm-roberta", transformers.XLMRobertaModel(config), 4, dtype=torch.bfloat16)


def camembert():
    config = transformers.CamembertConfig(**BERT_SIZES, type_vocab_size=1, hidden_act="gelu_new")
    write_model("camembert", transformers.CamembertForSequenceClassification(config), 5, dtype=torch.float16)


def mpnet():
    config = transformers.MPNetConfig(**BERT_SIZES)
    write_model("mpnet", transformers.MPNetModel(config), 6, pads_inside=True, shard="24KB")


MODELS = {
    "bert": bert,  # names with the prefix, gamma and beta, tied weights stored once
    "camembert": camembert,  # f16, a classifier's tensors beside the model's
    "distilbert": distilbert,
    "mpnet": mpnet,  # in shards
    "roberta": roberta,
    "xlm-roberta": xlm_roberta,  # bf16, names without a prefix
}


def main(names):
    for name in names or MODELS:
        MODELS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])

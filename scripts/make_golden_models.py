#!/usr/bin/env python3
"""Writes tests/golden/models/: small models of each architecture with random weights, and what they make of a batch.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_golden_models.py [NAME...]

NAME/config.json, NAME/model.safetensors   as transformers saves them, in the form that its line of MODELS says
NAME/expected.safetensors                  "lengths", "ids" and "type_ids" of a ragged batch (int32), and as float32
                                           "hidden" [all tokens, dim] and "attention" [layers, heads, T, T] of the
                                           sequence number ATTENDED

The reference runs the batch padded to its longest sequence, with an attention mask, in float64; only ModernBERT runs
sequence by sequence, because padding beyond a window becomes NaN in float64 there. Weights are random and
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
    assert not hidden[seen].isnan().any()
    attention = torch.stack([layer[ATTENDED, :, :length, :length] for layer in attention])
    save_file({"lengths": torch.tensor(LENGTHS, dtype=torch.int32), "ids": ids[seen].int(),
               "type_ids": types[seen].int(), "hidden": hidden[seen].float().contiguous(),
               "attention": attention.float().contiguous()}, directory / "expected.safetensors")


def encoder_of(model):
    return getattr(model, model.base_model_prefix, model)


def write_model(name, model, seed, dtype=torch.float32, pads_inside=False, shard="1GB", rename=None, alone=False):
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

    def run_alone(ids, types, mask):
        hidden = torch.zeros(*ids.shape, DIM, dtype=torch.float64)
        for i, length in enumerate(LENGTHS):
            part = [x[i : i + 1, :length] for x in (ids, types, mask)]
            hidden[i, :length], attention = run(*part)
            if i == ATTENDED:
                seen = [layer.expand(len(LENGTHS), -1, -1, -1) for layer in attention]
        return hidden, seen

    write_expected(directory, model.config, run_alone if alone else run, pads_inside)


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


def albert():
    config = transformers.AlbertConfig(**BERT_SIZES | {"num_hidden_layers": 3}, embedding_size=10, num_hidden_groups=2,
                                       inner_group_num=2)
    write_model("albert", transformers.AlbertForMaskedLM(config), 7)


def electra():
    config = transformers.ElectraConfig(**BERT_SIZES, embedding_size=10)
    write_model("electra", transformers.ElectraForPreTraining(config), 8)


def electra_equal():
    config = transformers.ElectraConfig(**BERT_SIZES, embedding_size=DIM, hidden_act="silu")
    write_model("electra-equal", transformers.ElectraModel(config), 9)


def modernbert():
    sizes = {key: value for key, value in BERT_SIZES.items() if key != "layer_norm_eps"} | {"num_hidden_layers": 3}
    tokens = dict(pad_token_id=0, bos_token_id=1, cls_token_id=1, eos_token_id=2, sep_token_id=2)
    config = transformers.ModernBertConfig(**sizes, **tokens, local_attention=16,
                                           layer_types=["full_attention", "sliding_attention", "full_attention"])
    write_model("modernbert", transformers.ModernBertForMaskedLM(config), 10, alone=True)
    # The fields that files had before transformers 5, and biases.
    config = transformers.ModernBertConfig(**sizes, **tokens, local_attention=128, norm_bias=True, attention_bias=True,
                                           mlp_bias=True, global_rope_theta=5000.0, local_rope_theta=100.0,
                                           global_attn_every_n_layers=2)
    write_model("modernbert-old", transformers.ModernBertModel(config), 11, alone=True)
    path = GOLDEN / "modernbert-old/config.json"
    fields = json.loads(path.read_text())
    del fields["layer_types"], fields["rope_parameters"]
    fields |= {"global_attn_every_n_layers": 2, "global_rope_theta": 5000.0, "local_rope_theta": 100.0}
    path.write_text(json.dumps(fields, indent=2) + "\n")


def random_weights(shapes, seed):
    modules = torch.nn.ParameterDict({name.replace(".", "/"): torch.empty(shape) for name, shape in shapes.items()})
    randomize(modules, seed)
    return {name.replace("/", "."): parameter.data for name, parameter in modules.items()}


def turned(x, base, interleaved):
    """RoFormer's rotation (Su et al., 2021) of heads [..., T, size]."""
    tokens, size = x.shape[-2:]
    angles = torch.arange(tokens).double()[:, None] * base ** (-torch.arange(0, size, 2).double() / size)
    a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else x.chunk(2, -1)
    pair = a * angles.cos() - b * angles.sin(), b * angles.cos() + a * angles.sin()
    return torch.stack(pair, -1).flatten(-2) if interleaved else torch.cat(pair, -1)


def gated_encoder(weights, names, ids, types, mask, *, layers, eps, activation, turn=lambda x: x, slopes=None):
    """What the codes on the hub of Nomic-BERT and JinaBERT v2 compute, which transformers has not, written from
    their papers and their published descriptions: BERT with turned heads or ALiBi, and gated feed-forward networks.
    names[...] gives the names of tensors, with {} for the layer; several are put one below the other."""

    def linear(x, name, layer):
        parts = [(weights[n + ".weight"], weights.get(n + ".bias")) for n in (s.format(layer) for s in names[name])]
        bias = torch.cat([b for _, b in parts]) if parts[0][1] is not None else None
        return torch.nn.functional.linear(x, torch.cat([w for w, _ in parts]), bias)

    def norm(x, name, layer=0):
        name = names[name].format(layer)
        return torch.nn.functional.layer_norm(x, x.shape[-1:], weights[name + ".weight"], weights[name + ".bias"], eps)

    tokens = ids.shape[1]
    bias = torch.where(mask.bool(), 0.0, -torch.inf).double()[:, None, None]
    if slopes is not None:
        places = torch.arange(tokens)
        bias = bias - slopes.double()[:, None, None] * (places[:, None] - places).abs()
    x = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.token_type_embeddings.weight"][types]
    x = norm(x, "embeddings_norm")
    attentions = []
    for layer in range(layers):
        q, k, v = (part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in linear(x, "qkv", layer).chunk(3, -1))
        scores = turn(q) @ turn(k).transpose(-1, -2) / q.shape[-1] ** 0.5 + bias
        attentions.append(scores.softmax(-1))
        attended = (attentions[-1] @ v).transpose(1, 2).flatten(-2)
        x = norm(linear(attended, "out", layer) + x, "attention_norm", layer)
        gate, value = linear(x, "gate_and_value", layer).chunk(2, -1)
        x = norm(linear(activation(gate) * value, "down", layer) + x, "output_norm", layer)
    return x, attentions


NOMIC_NAMES = {"embeddings_norm": "emb_ln", "qkv": ["encoder.layers.{}.attn.Wqkv"],
               "out": ["encoder.layers.{}.attn.out_proj"], "attention_norm": "encoder.layers.{}.norm1",
               "gate_and_value": ["encoder.layers.{}.mlp.fc12", "encoder.layers.{}.mlp.fc11"],
               "down": ["encoder.layers.{}.mlp.fc2"], "output_norm": "encoder.layers.{}.norm2"}
JINA = "encoder.layer.{}."
JINA_NAMES = {"embeddings_norm": "embeddings.LayerNorm",
              "qkv": [JINA + "attention.self." + part for part in ("query", "key", "value")],
              "out": [JINA + "attention.output.dense"], "attention_norm": JINA + "attention.output.LayerNorm",
              "gate_and_value": [JINA + "mlp.gated_layers"], "down": [JINA + "mlp.wo"],
              "output_norm": JINA + "mlp.layernorm"}


def write_described(name, config, shapes, seed, names, **options):
    directory = GOLDEN / name
    directory.mkdir(parents=True, exist_ok=True)
    weights = random_weights(shapes, seed)
    save_file(weights, directory / "model.safetensors", {"format": "pt"})
    (directory / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    weights = {key: tensor.double() for key, tensor in weights.items()}
    write_expected(directory, transformers.PreTrainedConfig(type_vocab_size=2),
                   lambda ids, types, mask: gated_encoder(weights, names, ids, types, mask, **options))


def norm_shapes(*names):
    return {name + end: [DIM] for name in names for end in (".weight", ".bias")}


def nomic_bert():
    config = transformers.NomicBertConfig(**BERT_SIZES, rope_parameters={"rope_theta": 500.0, "rope_type": "default"})
    model = transformers.NomicBertForMaskedLM(config)
    write_model("nomic_bert", model, 12)
    # The description below is right where transformers has the model too.
    weights = {key.removeprefix("nomic_bert."): tensor.double()
               for key, tensor in load_file(GOLDEN / "nomic_bert/model.safetensors").items()}
    expected = load_file(GOLDEN / "nomic_bert/expected.safetensors")
    ids, types, mask = batch(config, 0, False)
    hidden, _ = gated_encoder(weights, NOMIC_NAMES, ids, types, mask, layers=2, eps=1e-5,
                              activation=torch.nn.functional.silu, turn=lambda x: turned(x, 500.0, False))
    assert (hidden[mask.bool()] - expected["hidden"]).abs().max() < 1e-5

    hub = {"model_type": "nomic_bert", "vocab_size": VOCABULARY, "pad_vocab_size_multiple": 16, "n_embd": DIM,
           "n_layer": 2, "n_head": HEADS, "n_inner": 250, "n_positions": 150, "layer_norm_epsilon": 1e-5,
           "activation_function": "geglu", "type_vocab_size": 2, "rotary_emb_fraction": 1.0, "rotary_emb_base": 1000,
           "rotary_emb_interleaved": True, "rotary_emb_scale_base": None, "rotary_scaling_factor": None,
           "prenorm": False, "qkv_proj_bias": True, "mlp_fc1_bias": True, "mlp_fc2_bias": False, "causal": False}
    shapes = {"embeddings.word_embeddings.weight": [64, DIM], "embeddings.token_type_embeddings.weight": [2, DIM]}
    shapes |= norm_shapes("emb_ln")
    for layer in range(2):
        at = f"encoder.layers.{layer}."
        shapes |= norm_shapes(at + "norm1", at + "norm2")
        for name, out, into, bias in (("attn.Wqkv", 3 * DIM, DIM, 1), ("attn.out_proj", DIM, DIM, 1),
                                      ("mlp.fc11", 256, DIM, 1), ("mlp.fc12", 256, DIM, 1), ("mlp.fc2", DIM, 256, 0)):
            shapes[at + name + ".weight"] = [out, into]
            if bias:
                shapes[at + name + ".bias"] = [out]
    write_described("nomic_bert-hub", hub, shapes, 13, NOMIC_NAMES, layers=2, eps=1e-5,
                    activation=torch.nn.functional.gelu, turn=lambda x: turned(x, 1000.0, True))


def jina_bert():
    config = BERT_SIZES | {"model_type": "bert", "position_embedding_type": "alibi", "feed_forward_type": "geglu",
                           "type_vocab_size": 2, "emb_pooler": "mean", "attn_implementation": "torch"}
    shapes = {"embeddings.word_embeddings.weight": [VOCABULARY, DIM],
              "embeddings.token_type_embeddings.weight": [2, DIM]} | norm_shapes("embeddings.LayerNorm")
    for layer in range(2):
        at = f"encoder.layer.{layer}."
        shapes |= norm_shapes(at + "attention.output.LayerNorm", at + "mlp.layernorm")
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            shapes |= {at + name + ".weight": [DIM, DIM], at + name + ".bias": [DIM]}
        shapes |= {at + "mlp.gated_layers.weight": [2 * INNER, DIM], at + "mlp.wo.weight": [DIM, INNER],
                   at + "mlp.wo.bias": [DIM]}
    # ALiBi for 3 heads: those of 2, then the first of 4 (Press et al., 2022, and its code).
    slopes = torch.tensor([2.0**-4, 2.0**-8, 2.0**-2])
    write_described("jina_bert", config, shapes, 14, JINA_NAMES, layers=2, eps=1e-5,
                    activation=torch.nn.functional.gelu, slopes=slopes)


MODELS = {
    "albert": albert,
    "bert": bert,  # names with the prefix, gamma and beta, tied weights stored once
    "camembert": camembert,  # f16, a classifier's tensors beside the model's
    "distilbert": distilbert,
    "electra": electra,
    "electra-equal": electra_equal,  # embeddings as wide as the rest
    "jina_bert": jina_bert,
    "modernbert": modernbert,
    "mpnet": mpnet,  # in shards
    "nomic_bert": nomic_bert,
    "roberta": roberta,
    "xlm-roberta": xlm_roberta,  # bf16, names without a prefix
}


def main(names):
    for name in names or MODELS:
        MODELS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])

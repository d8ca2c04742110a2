# Makes what ONNX Runtime, OpenVINO and CTranslate2 run, from a model directory and from the weights of a layer.
# Usage: exports.py MODEL FOLDER (files that are there already are kept)
import io
import pathlib
import sys
import tempfile

import numpy as np


def plain_layer(weights, heads):
    """The seed's module as PyTorch exports it: bytes of an ONNX model."""
    import torch

    from adapters import pytorch

    x = torch.zeros(2, 3, weights["bias"].size)
    axes = {0: "batch", 1: "tokens"}
    file = io.BytesIO()
    torch.onnx.export(pytorch.MultiHead(weights, heads).eval(), (x,), file, dynamo=False, opset_version=17,
                      input_names=["x"], output_names=["y"], dynamic_axes={"x": axes, "y": axes})
    return file.getvalue()


def fused_layer(weights, heads):
    """The layer with ONNX Runtime's own Attention, which is what its optimizer makes of BERT's."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    dim = weights["bias"].size
    shape = ["batch", "tokens", dim]
    constants = {
        "qkv": np.ascontiguousarray(weights["qkv"].T),
        "no_bias": np.zeros(3 * dim, dtype=np.float32),
        "out": np.ascontiguousarray(weights["out"].T),
        "bias": weights["bias"],
    }
    graph = helper.make_graph(
        [
            helper.make_node("Attention", ["x", "qkv", "no_bias"], ["attended"], domain="com.microsoft", num_heads=heads),
            helper.make_node("MatMul", ["attended", "out"], ["projected"]),
            helper.make_node("Add", ["projected", "bias"], ["y"]),
        ],
        "layer",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def openvino_layer(weights, heads):
    import openvino
    import torch

    from adapters import pytorch

    return openvino.convert_model(pytorch.SdpaMultiHead(weights, heads).eval(),
                                  example_input=torch.zeros(2, 3, weights["bias"].size))


def _embedder(model, attention):
    """ids and mask [texts, longest] to vectors: with the pooling inside, no peer copies hidden states out."""
    import torch
    import transformers

    class Embedder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bert = transformers.AutoModel.from_pretrained(model, attn_implementation=attention)

        def forward(self, input_ids, attention_mask):
            hidden = self.bert(input_ids=input_ids, attention_mask=attention_mask,
                               token_type_ids=torch.zeros_like(input_ids)).last_hidden_state
            sums = (hidden * attention_mask.unsqueeze(-1).to(hidden.dtype)).sum(dim=1)
            return torch.nn.functional.normalize(sums, dim=1)

    ids = torch.ones(2, 9, dtype=torch.long)
    return Embedder().eval(), (ids, torch.ones_like(ids))


def _export_plain(model, folder, file):
    import torch

    module, example = _embedder(model, "eager")  # the pattern that ONNX Runtime's optimizer knows
    names = ["input_ids", "attention_mask"]
    axes = {name: {0: "texts", 1: "longest"} for name in names} | {"vectors": {0: "texts"}}
    torch.onnx.export(module, example, file, dynamo=False, opset_version=17, input_names=names,
                      output_names=["vectors"], dynamic_axes=axes)


def _export_optimized(model, folder, file):
    import transformers
    from onnxruntime.transformers import optimizer

    config = transformers.AutoConfig.from_pretrained(model)
    heads, layers = config.num_attention_heads, config.num_hidden_layers
    optimized = optimizer.optimize_model(str(folder / "plain-f32.onnx"), model_type="bert", num_heads=heads,
                                         hidden_size=config.hidden_size, opt_level=0)
    fused = optimized.get_fused_operator_statistics()
    if (fused["Attention"], fused["SkipLayerNormalization"], fused["BiasGelu"]) != (layers, 2 * layers, layers):
        raise RuntimeError(f"ONNX Runtime's optimizer did not fuse all {layers} layers: {fused}")
    optimized.save_model_to_file(str(file))


def _export_int8(model, folder, file):
    import onnx
    from onnxruntime import quantization

    quantization.quantize_dynamic(folder / "optimized-f32.onnx", file, per_channel=True,
                                  weight_type=quantization.QuantType.QInt8,
                                  extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT})


def _export_openvino(model, folder, file):
    import openvino

    module, example = _embedder(model, "sdpa")
    openvino.save_model(openvino.convert_model(module, example_input=example), file, compress_to_fp16=False)


def _export_ctranslate2(model, folder, file):
    import ctranslate2

    ctranslate2.converters.TransformersConverter(model).convert(str(file))


# In this order: some start from files of others.
_EXPORTS = {
    "plain-f32.onnx": _export_plain,
    "optimized-f32.onnx": _export_optimized,
    "optimized-int8.onnx": _export_int8,
    "openvino.xml": _export_openvino,
    "ctranslate2": _export_ctranslate2,
}


def main():
    model, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for name, export in _EXPORTS.items():
        if not (folder / name).exists():
            # Moved to its place when complete; openvino.xml has a file of weights beside it.
            with tempfile.TemporaryDirectory(dir=folder) as unfinished:
                export(model, folder, pathlib.Path(unfinished) / name)
                for part in sorted(pathlib.Path(unfinished).iterdir()):
                    part.rename(folder / part.name)


if __name__ == "__main__":
    main()

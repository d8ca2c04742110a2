#!/usr/bin/env python3
"""Writes tests/golden/onnx_attention/: the ONNX project's own tests of its operator Attention.

    python3 -m pip install -r scripts/requirements-reference.txt
    python3 scripts/make_onnx_attention.py

They are the cases test_attention_* of onnx.backend.test.case.node but their _expanded twins, which say
the same again in other operators. The files:

cases.json            one object a case: name, opset, type of Q, attributes, and for each input and
                      output that it has the name of a tensor
tensors.safetensors   the tensors; float16 and bfloat16 as float32, equal ones once
"""
import json
import pathlib

import numpy as np
from onnx import helper
from onnx.backend.test.case import node
from onnx.backend.test.case.node import attention  # noqa: F401  its import fills the list of cases
from safetensors.numpy import save_file

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "tests/golden/onnx_attention"
INPUTS = ["Q", "K", "V", "attn_mask", "past_key", "past_value", "nonpad_kv_seqlen"]
OUTPUTS = ["Y", "present_key", "present_value", "qk_matmul_output"]
CASES = 93


class Tensors:
    """Numbered arrays; an array met before keeps its number."""

    def __init__(self):
        self.arrays = {}
        self.numbers = {}

    def add(self, array):
        if array.dtype not in (np.bool_, np.int64):
            array = array.astype(np.float32)
        key = (array.dtype.name, array.shape, array.tobytes())
        number = self.numbers.setdefault(key, str(len(self.numbers)))
        self.arrays[number] = np.ascontiguousarray(array)
        return number


def named(formal, actual, arrays, tensors):
    """The arrays under the operator's names for them; a case may leave any out."""
    given = iter(arrays)
    return {name: tensors.add(next(given)) for name, argument in zip(formal, actual) if argument}


def main():
    tensors = Tensors()
    cases = []
    for case in node._NodeTestCases:
        if not case.name.startswith("test_attention_") or "_expanded" in case.name:
            continue
        (call,) = case.model.graph.node
        ((inputs, outputs),) = case.data_sets
        assert call.op_type == "Attention" and case.rtol == 1e-3 and case.atol == 1e-7
        cases.append({
            "name": case.name,
            "opset": next(opset.version for opset in case.model.opset_import if not opset.domain),
            "type": inputs[0].dtype.name,
            "attributes": {a.name: helper.get_attribute_value(a) for a in call.attribute},
            "inputs": named(INPUTS, call.input, inputs, tensors),
            "outputs": named(OUTPUTS, call.output, outputs, tensors),
        })
    assert len(cases) == CASES, len(cases)
    GOLDEN.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(case) for case in cases)
    (GOLDEN / "cases.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    save_file(tensors.arrays, GOLDEN / "tensors.safetensors")


if __name__ == "__main__":
    main()

# Beside torch in one process: its tensors, its threads, and its attention as another reference.
import subprocess
import sys

import numpy as np
import pytest
from conftest import MODEL, call_in_process

import headway

torch = pytest.importorskip("torch")
sdpa = torch.nn.functional.scaled_dot_product_attention


def tensors():
    generator = torch.Generator().manual_seed(3)
    return [torch.randn(2, 8, 100, 32, generator=generator) for _ in range(3)]


def test_tensors():
    q, k, v = tensors()
    np.testing.assert_allclose(headway.attention(q, k, v), sdpa(q, k, v), atol=2e-6)
    mask = torch.rand(2, 1, 100, 100) < 0.7
    np.testing.assert_allclose(headway.attention(q, k, v, mask=mask), sdpa(q, k, v, attn_mask=mask), atol=2e-6)
    bias = torch.randn(8, 100, 100)
    np.testing.assert_allclose(headway.attention(q, k, v, mask=bias), sdpa(q, k, v, attn_mask=bias), atol=2e-6)
    np.testing.assert_allclose(headway.attention(q, k, v, is_causal=True), sdpa(q, k, v, is_causal=True), atol=2e-6)
    few = k[:, :2].contiguous(), v[:, :2].contiguous()
    np.testing.assert_allclose(headway.attention(q, *few), sdpa(q, *few, enable_gqa=True), atol=2e-6)
    lengths = torch.tensor([100, 60])
    cut = headway.attention(q, k, v, key_lengths=lengths)
    np.testing.assert_allclose(cut[1], sdpa(q, k[:, :, :60], v[:, :, :60])[1], atol=2e-6)


def test_views_of_one_tensor_are_read_in_place():
    qkv = torch.randn(2, 50, 3, 4, 16)
    views = [part.transpose(1, 2) for part in qkv.unbind(2)]
    for view in views:
        array = headway._arguments.array(view, "q", np.float32)
        assert headway._arguments.readable(array).ctypes.data == view.data_ptr()
    np.testing.assert_allclose(headway.attention(*views), sdpa(*views), atol=2e-6)


def test_the_result_is_a_tensor_without_a_copy():
    y = headway.attention(*tensors())
    assert torch.from_numpy(y).data_ptr() == y.ctypes.data == torch.from_dlpack(y).data_ptr()


def test_multi_head():
    layer = torch.nn.MultiheadAttention(64, 8, batch_first=True)
    weights = {name: parameter.detach() for name, parameter in layer.named_parameters()}
    ours = headway.MultiHead(weights["in_proj_weight"], weights["out_proj.weight"], heads=8,
                             qkv_bias=weights["in_proj_bias"], out_bias=weights["out_proj.bias"])
    x = torch.randn(2, 10, 64)
    with torch.no_grad():
        expected = layer(x, x, x, need_weights=False)[0]
    np.testing.assert_allclose(ours(x), expected, atol=2e-6)


def test_refused_tensors():
    q, k, v = tensors()
    with pytest.raises(TypeError, match="q: "):
        headway.attention(q.bfloat16(), k, v)
    with pytest.raises(TypeError, match="k: .*gradient"):
        headway.attention(q, k.requires_grad_(), v)


def work(embedder):
    q, k, v = tensors()
    return embedder.encode(["a cat", "two dogs"] * 20), sdpa(q, k, v).numpy(), headway.attention(q, k, v)


def test_children(embedder):
    expected = work(embedder)
    for got, value in zip(call_in_process("spawn", work, embedder), expected):
        np.testing.assert_allclose(got, value, atol=2e-6)


# torch's own threads do not live through a fork(), so only Headway works in the child.
def test_a_forked_child_of_a_process_that_used_both(embedder):
    vectors, _, attended = work(embedder)
    np.testing.assert_array_equal(call_in_process("fork", embedder.encode, ["a cat", "two dogs"] * 20), vectors)
    given = [x.numpy() for x in tensors()]
    np.testing.assert_array_equal(call_in_process("fork", headway.attention, *given), attended)


# Each brings its own OpenMP; whichever comes first, both must work, in turns and at once.
PROGRAM = """
import sys, threading
import {first}
import {second}
import numpy, torch, headway

x = torch.arange(2 * 8 * 200 * 32, dtype=torch.float32).reshape(2, 8, 200, 32) / 1e5
expected = torch.nn.functional.scaled_dot_product_attention(x, x, x).numpy()
embedder = headway.Embedder(sys.argv[1])
vectors = embedder.encode(["a cat"] * 50)

def ours():
    for _ in range(10):
        numpy.testing.assert_allclose(headway.attention(x, x, x), expected, atol=1e-5)
        numpy.testing.assert_array_equal(embedder.encode(["a cat"] * 50), vectors)

def theirs():
    for _ in range(50):
        y = torch.nn.functional.scaled_dot_product_attention(x, x, x)
        numpy.testing.assert_allclose(y.numpy(), expected, atol=1e-5)

ours(); theirs()
threads = [threading.Thread(target=f) for f in (ours, theirs, ours)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print("done")
"""


@pytest.mark.parametrize("first, second", [("torch", "headway"), ("headway", "torch")])
def test_either_may_be_imported_first(first, second):
    program = PROGRAM.format(first=first, second=second)
    result = subprocess.run([sys.executable, "-c", program, str(MODEL)], capture_output=True, text=True, timeout=300)
    assert result.stdout == "done\n" and result.stderr == "", result.stderr

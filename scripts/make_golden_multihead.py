#!/usr/bin/env python3
# Makes tests/golden/multihead_f64.bin: the MultiHead layer in PyTorch float64, against which
# tests/reference/multi_head_test.cpp checks the oracle. Made with the versions in
# scripts/requirements-reference.txt. Usage: make_golden_multihead.py OUTPUT
#
# The file is little-endian float64 without a header, arrays row-major, one after the other:
#   x [2, 10, 64], qkv.weight [192, 64], out.weight [64, 64], out.bias [64],
#   y [2, 10, 64], w [2, 8, 10, 10]          the layer without a qkv bias
#   qkv.bias [192], y [2, 10, 64], w [2, 8, 10, 10]        the same layer with it
import math
import sys

import torch
from torch import nn


class MultiHead(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.size = dim // heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, t, dim = x.shape
        q, k, v = (
            part.view(b, t, self.heads, self.size).transpose(1, 2)
            for part in self.qkv(x).chunk(3, dim=-1)
        )
        w = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(self.size), dim=-1)
        return self.out((w @ v).transpose(1, 2).reshape(b, t, dim)), w


def main():
    torch.manual_seed(1)
    torch.set_default_dtype(torch.float64)
    # 3 x N(0,1) makes the attention weights uneven, so that a wrong softmax shows.
    x = 3 * torch.randn(2, 10, 64)
    layer = MultiHead(64, 8)
    arrays = [x, layer.qkv.weight, layer.out.weight, layer.out.bias, *layer(x)]
    layer.qkv.bias = nn.Parameter(torch.randn(192) / 2)
    arrays += [layer.qkv.bias, *layer(x)]
    with open(sys.argv[1], "wb") as file:
        for array in arrays:
            file.write(array.detach().contiguous().numpy().astype("<f8").tobytes())


if __name__ == "__main__":
    main()

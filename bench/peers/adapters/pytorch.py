# PyTorch: the seed's module, scaled_dot_product_attention, and torch.compile. Options: seed | sdpa | compile.
import torch
import transformers

from adapters import texts

_TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


class MultiHead(torch.nn.Module):
    """The seed's layer as it was written: the scores of all heads in memory, softmax, product."""

    def __init__(self, weights, heads):
        super().__init__()
        dim = weights["bias"].size
        self.heads = heads
        self.qkv = torch.nn.Linear(dim, 3 * dim, bias=False)
        self.out = torch.nn.Linear(dim, dim)
        self.load_state_dict({
            "qkv.weight": torch.from_numpy(weights["qkv"]),
            "out.weight": torch.from_numpy(weights["out"]),
            "out.bias": torch.from_numpy(weights["bias"]),
        })

    def split(self, x):
        batch, tokens, dim = x.shape
        return x.view(batch, tokens, self.heads, dim // self.heads).transpose(1, 2)

    def attend(self, q, k, v):
        return torch.softmax(q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5, dim=-1) @ v

    def forward(self, x):
        q, k, v = (self.split(part) for part in self.qkv(x).chunk(3, dim=-1))
        return self.out(self.attend(q, k, v).transpose(1, 2).reshape(x.shape))


class SdpaMultiHead(MultiHead):
    def attend(self, q, k, v):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)


def layer(setup, weights, heads, x):
    torch.set_num_threads(setup.threads)
    module = (MultiHead if "seed" in setup.options else SdpaMultiHead)(weights, heads).eval()
    if "compile" in setup.options:
        torch._dynamo.reset()  # a shape before this one must not make it compile for shapes in general
        module = torch.compile(module, dynamic=False)
    x = torch.from_numpy(x)

    def run():
        with torch.inference_mode():
            return module(x).numpy()

    return run


class Embedder:
    def __init__(self, setup):
        torch.set_num_threads(setup.threads)
        self.batches = texts.Batches(setup.model)
        self.model = transformers.AutoModel.from_pretrained(
            setup.model, attn_implementation="sdpa", dtype=_TYPES[setup.precision]
        ).eval()
        if "compile" in setup.options:
            self.model = torch.compile(self.model, dynamic=True)

    @torch.inference_mode()
    def embed(self, lines, size):
        vectors = torch.empty(len(lines), self.model.config.hidden_size)
        for batch, ids in self.batches(lines, size):
            table, mask = (torch.from_numpy(array) for array in texts.padded(ids))
            hidden = self.model(input_ids=table, attention_mask=mask).last_hidden_state.float()
            sums = (mask[:, None].float() @ hidden)[:, 0]
            vectors[batch] = torch.nn.functional.normalize(sums, dim=1)
        return vectors.numpy()

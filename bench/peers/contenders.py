# Who takes part: Headway and its peers, what each can run, and how each is held to older instructions.
import dataclasses


@dataclasses.dataclass(frozen=True, eq=False)  # a key in tables, each equal to itself only
class Contender:
    """One library with one way to use it."""

    name: str
    adapter: str  # module of adapters/; "" is Headway's own worker
    options: tuple = ()  # for the adapter
    embeds: tuple = ()  # precisions in which it turns texts into vectors
    layers: bool = False  # runs the attention layer alone, f32
    avx2: dict = dataclasses.field(default_factory=dict)  # environment that keeps it from using more than AVX2
    free: str = ""  # what this does not reach
    quick: bool = True  # takes part in quick runs


HEADWAY = "Headway"
SEED = "PyTorch, the seed's module"
REFERENCE = "sentence-transformers"

_TORCH = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}
# oneDNN inside and OpenVINO's own kernels ask separately. Its f32 products are ONNX Runtime's (gemm_mlas_f32 in the
# compiled model), which no switch reaches.
_OPENVINO = {"ONEDNN_MAX_CPU_ISA": "AVX2", "OV_CPU_MAX_ISA": "AVX2"}
_CTRANSLATE2 = {"CT2_FORCE_CPU_ISA": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"}

# torch.compile spends minutes on compiling, so that quick runs do without.
CONTENDERS = (
    Contender(HEADWAY, "", embeds=("f32", "bf16", "int8"), layers=True, avx2={"HEADWAY_MAX_ISA": "avx2"}),
    Contender(SEED, "pytorch", ("seed",), layers=True, avx2=_TORCH),
    Contender("PyTorch SDPA", "pytorch", ("sdpa",), ("f32", "bf16"), True, _TORCH),
    Contender("torch.compile", "pytorch", ("compile",), ("f32", "bf16"), True, _TORCH, quick=False),
    Contender(REFERENCE, "sentence_transformers_", (), ("f32",), avx2=_TORCH),
    Contender("ONNX Runtime", "onnxruntime_", ("plain",), ("f32",), True, free="all of it"),
    Contender("ONNX Runtime, optimized", "onnxruntime_", ("optimized",), ("f32", "int8"), True,
              free="all of it"),
    Contender("ONNX Runtime, optimized, workers", "onnxruntime_", ("optimized", "workers"), ("f32", "int8"),
              free="all of it"),
    Contender("OpenVINO, latency", "openvino_", ("LATENCY",), ("f32", "bf16"), True, _OPENVINO, "products"),
    Contender("OpenVINO, throughput", "openvino_", ("THROUGHPUT",), ("f32", "bf16"), True, _OPENVINO, "products"),
    Contender("CTranslate2, intra", "ctranslate2_", ("intra",), ("f32", "int8"), avx2=_CTRANSLATE2),
    Contender("CTranslate2, workers", "ctranslate2_", ("workers",), ("f32", "int8"), avx2=_CTRANSLATE2),
)


def named(name):
    return next(contender for contender in CONTENDERS if contender.name == name)


def embedders(precision, quick=False):
    return [each for each in CONTENDERS if precision in each.embeds and (each.quick or not quick)]


def layer_runners(quick=False):
    """The seed's module first: it is what the others' results are held to."""
    runners = [each for each in CONTENDERS if each.layers and (each.quick or not quick)]
    return sorted(runners, key=lambda contender: contender.name != SEED)

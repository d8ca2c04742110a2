"""What all models on texts have in common: a model directory, opened."""

import os
from collections.abc import Iterable
from typing import Any, ClassVar, Literal, NamedTuple

from ._arguments import one_or_more_texts, path_bytes, size, small_integer, text
from ._memory import MemoryUse


class ModelInfo(NamedTuple):
    """What was decided when a model was opened, and from which file.

    weights: the types in the files, "f32". dim: numbers of one vector; of a classifier, its labels. tokenizer: its model,
    "WordPiece". max_length: tokens of a text, special ones included; longer ones are cut. pooling: "mean", "cls",
    "cls + max", ... normalize: whether vectors have length 1. prompts: what `prompt_name` may name. default_prompt_name:
    of the prompt that is used when none is chosen; may be empty. labels: of classifiers and rerankers. activation: what
    makes scores of logits, "sigmoid", "softmax" or "identity". sources: file and field that others of these come from, by
    their names here.
    """

    architecture: str
    parameters: int
    weights: str
    layers: int
    dim: int
    heads: int
    vocabulary: int
    tokenizer: str
    max_length: int
    pooling: str
    normalize: bool
    prompts: dict[str, str]
    default_prompt_name: str
    labels: list[str]
    activation: str
    sources: dict[str, str]
    threads: int
    precision: str


class TextModel:
    """The base of Embedder and its kin.

    What comes of a text does not depend on the other texts, their order or the number of threads. Any number of
    threads may use one object at once, and so may children of fork(), if no thread was using it at that moment.
    Pickling one, as multiprocessing does, stores the arguments; the directory is opened anew.
    """

    _native: ClassVar[Any]  # the class of the module _headway
    _model: Any  # an object of that class

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        threads: int | None = None,
        precision: Literal["f32", "bf16", "int8"] = "f32",
        max_length: int | None = None,
        memory: int | None = None,
    ) -> None:
        """threads: of all calls together; by default as many as cores this process may use.
        precision: of matrix products; "bf16" and "int8" are less exact, and faster where the CPU has them.
        max_length: tokens of one text, special ones included; by default the model's own limit.
        memory: cap in bytes on working memory, weights not counted; by default none.

        Raises Error naming the file and the field for what is missing, damaged or not supported.
        """
        self._arguments = (path, threads, precision, max_length, memory)
        self._model = self._native.open(
            path_bytes(path, "path"),
            small_integer(threads, "threads"),
            text(precision, "precision"),
            small_integer(max_length, "max_length"),
            size(memory, "memory"),
        )
        self._info = ModelInfo(**self._model.info())

    @property
    def info(self) -> ModelInfo:
        return self._info

    @property
    def memory(self) -> MemoryUse:
        return MemoryUse(*self._model.memory())

    def trim(self) -> None:
        """Gives back the working memory that no call uses at this moment."""
        self._model.trim()

    def tokenize(self, texts: str | Iterable[str]) -> list[list[int]]:
        """The ids the model sees of each text: special tokens included, cut at `info.max_length`."""
        ids: list[list[int]] = self._model.tokenize(one_or_more_texts(texts))
        return ids

    def __reduce__(self) -> Any:
        return _open, (type(self), *self._arguments)

    def __repr__(self) -> str:
        return f"headway.{type(self).__name__}({os.fspath(self._arguments[0])!r})"


def _open(kind: type[TextModel], path: Any, threads: Any, precision: Any, max_length: Any, memory: Any) -> TextModel:
    return kind(path, threads=threads, precision=precision, max_length=max_length, memory=memory)

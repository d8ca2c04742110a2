"""Texts to vectors: a sentence-transformers model directory."""

import os
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _headway
from ._arguments import integer, size, small_integer, text, token
from ._errors import ArgumentError
from ._headway import CancelToken
from ._memory import MemoryUse

_TEXTS_BETWEEN_UPDATES = 256  # some tenths of a second


class ModelInfo(NamedTuple):
    """What was decided when a model was opened, and from which file.

    dim: numbers of one vector. max_length: tokens of a text, special ones included; longer ones are cut.
    pooling: "mean", "cls", "cls + max", ... normalize: whether vectors have length 1. prompts: what `prompt_name` may name.
    default_prompt_name: of the prompt that is used when none is chosen; may be empty. weights: the types in the files,
    "f32". tokenizer: its model, "WordPiece". sources: file and field that others of these come from, by their names here.
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
    sources: dict[str, str]
    threads: int
    precision: str


class Embedder:
    """A model directory as sentence-transformers writes it and the Hugging Face hub holds it.

    The vector of a text does not depend on the other texts, their order or the number of threads. Any number of
    threads may use one Embedder at once, and so may children of fork(), if no thread was using it at that moment.
    Pickling one, as multiprocessing does, stores the arguments; the directory is opened anew.
    """

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
        try:
            directory = os.fsencode(path)
        except TypeError as error:
            raise TypeError(f"path: {error}") from None
        self._arguments = (path, threads, precision, max_length, memory)
        self._model = _headway.Embedder.open(
            directory,
            small_integer(threads, "threads"),
            text(precision, "precision"),
            small_integer(max_length, "max_length"),
            size(memory, "memory"),
        )
        self._info = ModelInfo(**self._model.info())

    @property
    def info(self) -> ModelInfo:
        return self._info

    def encode(
        self,
        texts: str | Iterable[str],
        *,
        prompt: str | None = None,
        prompt_name: str | None = None,
        show_progress_bar: bool = False,
        dimensions: int | None = None,
        cancel: CancelToken | None = None,
    ) -> NDArray[np.float32]:
        """Vectors, float32 [n, dim]; of a single str, [dim].

        prompt: put before every text, as it is.
        prompt_name: one of `info.prompts`, in place of its text. Without either the model's default prompt, if it has
            one.
        show_progress_bar: on standard error, by tqdm.
        dimensions: only so many numbers of each vector (for models trained as Matryoshka), made length 1 again if the
            model's vectors are.
        cancel: ends the call with an Error when another thread asks for it.
        """
        single = isinstance(texts, str)
        given = self._texts(texts)
        chosen = (
            None if prompt is None else text(prompt, "prompt"),
            None if prompt_name is None else text(prompt_name, "prompt_name"),
            0 if dimensions is None else integer(dimensions, "dimensions"),
        )
        if dimensions is not None and chosen[2] < 1:
            raise ArgumentError(f"dimensions: expected at least 1, found {dimensions}")
        vectors = np.empty((len(given), self._model.width(chosen[2])), np.float32)
        if show_progress_bar:
            self._embed_with_bar(given, chosen, vectors, token(cancel))
        else:
            self._model.embed(given, *chosen, vectors, token(cancel))
        return vectors[0] if single else vectors

    @property
    def memory(self) -> MemoryUse:
        return MemoryUse(*self._model.memory())

    def trim(self) -> None:
        """Gives back the working memory that no call uses at this moment."""
        self._model.trim()

    def tokenize(self, texts: str | Iterable[str]) -> list[list[int]]:
        """The ids the model sees of each text: special tokens included, cut at `info.max_length`."""
        return self._model.tokenize(self._texts(texts))

    @staticmethod
    def _texts(texts: Any) -> list[Any]:
        if isinstance(texts, str):
            return [texts]
        if isinstance(texts, (bytes, bytearray)) or not isinstance(texts, Iterable):
            raise TypeError(f"texts: expected str or an iterable of str, found {type(texts).__name__}")
        return list(texts)

    def _embed_with_bar(
        self,
        texts: list[Any],
        chosen: tuple[Any, Any, int],
        vectors: NDArray[np.float32],
        cancel: CancelToken | None,
    ) -> None:
        from tqdm.auto import tqdm  # type: ignore[import-untyped]

        with tqdm(total=len(texts), desc="Texts", unit="text") as bar:
            for begin in range(0, len(texts), _TEXTS_BETWEEN_UPDATES):
                part = texts[begin : begin + _TEXTS_BETWEEN_UPDATES]
                self._model.embed(part, *chosen, vectors[begin : begin + len(part)], cancel)
                bar.update(len(part))

    def __reduce__(self) -> Any:
        return _open, self._arguments

    def __repr__(self) -> str:
        return f"headway.Embedder({os.fspath(self._arguments[0])!r})"


def _open(path: Any, threads: Any, precision: Any, max_length: Any, memory: Any) -> Embedder:
    return Embedder(path, threads=threads, precision=precision, max_length=max_length, memory=memory)

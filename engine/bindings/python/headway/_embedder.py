"""Texts to vectors: a sentence-transformers model directory."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _headway
from ._arguments import one_or_more_texts, positive, prompts, token
from ._headway import CancelToken
from ._text_model import TextModel

_TEXTS_BETWEEN_UPDATES = 256  # some tenths of a second


class Embedder(TextModel):
    """A model directory as sentence-transformers writes it and the Hugging Face hub holds it."""

    _native = _headway.Embedder
    _model: _headway.Embedder

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
        given = one_or_more_texts(texts)
        chosen = (
            *prompts(prompt, prompt_name),
            0 if dimensions is None else positive(dimensions, "dimensions"),
        )
        vectors = np.empty((len(given), self._model.width(chosen[2])), np.float32)
        if show_progress_bar:
            self._embed_with_bar(given, chosen, vectors, token(cancel))
        else:
            self._model.embed(given, *chosen, vectors, token(cancel))
        return vectors[0] if single else vectors

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

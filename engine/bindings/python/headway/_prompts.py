"""Prompts: texts that some models want before what they embed."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from ._errors import Error


class Prompts(NamedTuple):
    by_name: dict[str, str]
    pooled: bool  # whether pooling takes a prompt's tokens too, as it does by default


def read_prompts(directory: Path) -> Prompts:
    """What the files of a model that has been opened say. "query" and "document" are always there, perhaps empty, as in
    sentence-transformers."""
    file = directory / "config_sentence_transformers.json"
    prompts = _read(file, {}).get("prompts") or {}
    if not isinstance(prompts, dict) or not all(isinstance(prompt, str | None) for prompt in prompts.values()):
        raise Error(f'"{file}": field "prompts": expected an object of strings', "format")
    by_name = {name: prompt or "" for name, prompt in prompts.items()}
    # Transformer, Pooling and perhaps Normalize; without the file, pooling is the default.
    modules = _read(directory / "modules.json", [])
    pooling = _read(directory / modules[1]["path"] / "config.json", {}) if modules else {}
    return Prompts({"query": "", "document": "", **by_name}, pooling.get("include_prompt", True) is True)


def _read(file: Path, missing: Any) -> Any:
    try:
        return json.loads(file.read_bytes())
    except FileNotFoundError:
        return missing

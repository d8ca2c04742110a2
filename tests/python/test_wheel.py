# What the wheel that is tested holds besides code: one version, and the licences of all that is in it.
import importlib.metadata
import pathlib
import re

import pytest
from conftest import ROOT

import headway

FILES = [pathlib.Path(str(file.locate())) for file in importlib.metadata.files("headway") or []]


def licence_texts(name):
    """The texts in the folder `name` of the wheel's licences, by file."""
    return {file.name: file.read_text() for file in FILES if file.parts[-3:-1] == ("licenses", name)}


def test_there_is_one_version():
    header = (ROOT / "include/headway/version.h").read_text()
    written = re.search(r'#define HEADWAY_VERSION "(.*)"', header)[1]
    assert importlib.metadata.version("headway") == headway.__version__ == written


def test_every_library_comes_with_its_licence():
    libraries = {re.split(r"[-.]", file.name)[0] for file in FILES if file.parent.name == "headway.libs"}
    assert {"libgomp", "libhwy", "libsimdjson"} <= libraries
    for library in libraries:
        texts = licence_texts(library)
        referred = set(re.findall(r"/usr/share/common-licenses/([A-Za-z]+(?:-[0-9.]*[0-9])?)", texts["copyright"]))
        assert len(texts["copyright"]) > 500 and referred <= set(texts), (library, referred)


@pytest.mark.parametrize("name, text", [
    ("libgomp", "GCC RUNTIME LIBRARY EXCEPTION"),
    ("libhwy", "Apache License"),
    ("onednn", "Apache License"),
    ("nanobind", "Redistribution and use"),
])
def test_texts(name, text):
    assert any(text.lower() in whole.lower() for whole in licence_texts(name).values()), name

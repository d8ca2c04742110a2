# The server of the README, in Python: as those in C++ and C, tested by the same program.
import importlib.util
import sys

from conftest import MODEL, ROOT

EXAMPLES = ROOT / "tests/examples"


def test_the_server_of_the_readme(embedder):
    spec = importlib.util.spec_from_file_location("server_test", EXAMPLES / "server_test.py")
    server_test = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(server_test)
    expected = [vector.tobytes() for vector in embedder.encode(server_test.TEXTS)]
    server_test.check_server([sys.executable, EXAMPLES / "readme_python_server.py"], str(MODEL), expected)

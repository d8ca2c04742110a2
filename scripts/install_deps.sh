#!/usr/bin/env bash
# Installs the Debian/Ubuntu packages that building and testing Headway needs and that are missing; with --checks also
# those of scripts/check.sh and a browser for the tests, with HEADWAY_LONG_TESTS=1 what puts servers under load. Uses sudo
# when not root, and the network only when something is missing.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Tools count as present wherever they come from; each stands beside the package that has it.
tools=(c++:g++ ccache:ccache cmake:cmake dpkg-shlibdeps:dpkg-dev file:file ninja:ninja-build pkg-config:pkg-config
  python3:python3)
libraries=(libhwy-dev libsimdjson-dev libcli11-dev libgtest-dev libgmock-dev libbenchmark-dev)
# Of the example servers.
libraries+=(libcpp-httplib-dev libulfius-dev libjansson-dev libmicrohttpd-dev)
if [ "${HEADWAY_LONG_TESTS:-}" = 1 ]; then tools+=(wrk:wrk); fi
case "${1:-}" in
  "") ;;
  --checks)
    # clang, and what LLVM's OpenMP has for it, is for the test that looks for data races.
    tools+=(clang-format-14:clang-format-14 shellcheck:shellcheck clang++:clang)
    libraries+=(libomp-dev)
    # A browser for the test that opens a page; Ubuntu has no browser as a package, and the test is skipped there.
    if grep -qs "^ID=debian" /etc/os-release; then
      tools+=(chromium-headless-shell:chromium-headless-shell)
      libraries+=(libclang-rt-dev)  # elsewhere it comes with clang
    fi
    ;;
  *) die "unknown option $1 (known: --checks)" ;;
esac
# PyPI's oneDNN is for x86-64 only; elsewhere it is the distribution's.
[ "$(uname -m)" = x86_64 ] || libraries+=(libdnnl-dev)

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "This is not Debian or Ubuntu: nothing is installed. Headway needs a C++20 compiler, CMake, Ninja, Python 3 with" \
    "pip, Highway, simdjson, CLI11, GoogleTest and Google Benchmark; configuring names what is missing."
  exit 0
fi

# Debian's Python has them in a package of their own; the Python package is compiled with them.
python_has_headers() {
  local python
  python=$(python_with_pip) || return 1
  "$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
}

missing=()
for entry in "${tools[@]}"; do
  command -v "${entry%%:*}" >/dev/null || missing+=("${entry##*:}")
done
python_with_pip >/dev/null || missing+=(python3-pip)
python_has_headers || missing+=(python3-dev)
for package in "${libraries[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "All packages are installed."
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null ||
    die "these packages are missing: ${missing[*]}. Installing them takes root: run 'apt-get install ${missing[*]}' as root."
  as_root=(sudo)
fi
echo "Installing ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300)
"${apt[@]}" update
"${apt[@]}" install --yes --no-install-recommends "${missing[@]}"

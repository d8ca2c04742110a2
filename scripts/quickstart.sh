#!/usr/bin/env bash
# From a fresh clone to running examples: installs what is missing, builds the command headway, fetches a real model, runs
# the seed layer and embeds a few sentences. Takes minutes the first time, seconds after that.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[ $# -eq 0 ] || die "takes no arguments"
begin_steps 5 "$root/build/quickstart.log"
cd "$root"

step "Install the packages that are missing" scripts/install_deps.sh
step "Get oneDNN" get_onednn_if_needed
step "Configure" configure release
step "Build (a few minutes; progress in build/quickstart.log)" \
  build release --target headway_cli example_seed example_similarity
step "Get the model all-MiniLM-L6-v2" scripts/get_model.sh

printf '\nThe seed layer: multi-head attention, dim 64, 8 heads\n'
build/release/bin/example_seed
printf '\nHow alike sentences are (all-MiniLM-L6-v2; the cosine, 1 for the same)\n'
build/release/bin/example_similarity models/all-MiniLM-L6-v2
printf '\nThe command is build/release/bin/headway; try it with --help.\n'

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Prepare .venv-peers: a virtual environment with the engines that `make bench` compares ours with, and with what
# ours needs beside them. Usage: tools/peers_env.sh /path/to/python3.11
# Only wheels are installed: an engine that has none for this machine is named and left out, and so says the report.
set -eu
python=$1
folder=.venv-peers
lock=requirements-peers.lock
needed="numpy scipy numba llvmlite matplotlib trimesh"
peers="pinocchio mujoco dartpy pydrake pybullet exudyn"

if [ -L "$folder" ]; then
    # Renewing an environment empties it first, and would reach through the link.
    echo "$folder is a link to another folder; remove the link and run this again."
    exit 1
fi
echo "Preparing $folder: the engines to compare with (first time: a download of about 420 MB, 1.7 GB on disk)"
"$python" -m venv --clear "$folder" || {
    echo "Could not create a virtual environment with '$python'."
    echo "Install it with venv (Debian: apt-get install python3.11 python3.11-venv), or name another: make PYTHON=/path/to/python3.11"
    exit 1
}
install() {
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-deps "$@" >"$folder/pip.log" 2>&1
}
if ! install -r "$lock"; then
    echo "Not all of $lock can be installed here; trying one by one."
    grep -v '^#' "$lock" | while read -r line; do
        install "$line" || echo "  left out: $line ($(grep -i error "$folder/pip.log" | tail -n 1))"
    done
fi
for module in $needed; do
    "$folder/bin/python" -c "import $module" 2>"$folder/import.log" || {
        echo "$module does not load in $folder: $(tail -n 1 "$folder/import.log")"
        echo "The benchmarks need it. See $folder/pip.log."
        exit 1
    }
done
for module in $peers; do
    "$folder/bin/python" -c "import $module" >/dev/null 2>"$folder/import.log" ||
        echo "  without $module: $(tail -n 1 "$folder/import.log")"
done

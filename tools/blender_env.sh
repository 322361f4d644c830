#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Prepare .venv-blender-X.Y: a virtual environment with the real Blender as a Python module (`bpy`), the numpy
# that Blender ships and pytest. Usage: tools/blender_env.sh 4.5 /path/to/python3.11
# scipy stays out on purpose: the tests in these environments prove that the add-on works without it.
set -eu
version=$1
python=$2
folder=.venv-blender-$version
lock=requirements-blender-$version.lock
# What `bpy` loads at import and a bare Debian or Ubuntu lacks.
libraries="libx11-6 libxrender1 libxfixes3 libxi6 libxkbcommon0 libsm6 libgl1 libegl1 libgomp1"

if [ -L "$folder" ]; then
    # Renewing an environment empties it first, and would reach through the link.
    echo "$folder is a link to another folder; remove the link and run this again."
    exit 1
fi
echo "Preparing $folder: Blender $version as a Python module (first time: a download of about 350 MB)"
"$python" -m venv --clear "$folder" || {
    echo "Could not create a virtual environment with '$python'."
    echo "Install it with venv (Debian: apt-get install python3.11 python3.11-venv), or name another: make PYTHON=/path/to/python3.11"
    exit 1
}
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check -r "$lock"

blender_starts() {
    "$folder/bin/python" -c 'import bpy' >"$folder/bpy.log" 2>&1
}

blender_starts && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "Blender does not start yet ($(tail -n 1 "$folder/bpy.log")); installing its system libraries: $libraries"
    # shellcheck disable=SC2086  # one word per library
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $libraries; } >"$folder/apt.log" 2>&1 ||
        { tail -n 5 "$folder/apt.log"; exit 1; }
    blender_starts && exit 0
fi
echo "Blender $version does not start as a Python module:"
tail -n 3 "$folder/bpy.log"
echo "It usually lacks system libraries. On Debian or Ubuntu: sudo apt-get install $libraries"
exit 1

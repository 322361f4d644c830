#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Print the path of a Python of the version asked for (`tools/find_python.sh 3.13`) that really runs and can make
# virtual environments; print nothing and fail when there is none.
# A name on PATH proves nothing: pyenv's shims exist for versions that are not selected, and fail when called.
version=$1

works() {
    [ -n "$1" ] && "$1" -c "
import sys, venv, ensurepip
sys.exit('%d.%d' % sys.version_info[:2] != '$version')" >/dev/null 2>&1
}

found() {
    "$1" -c 'import sys; print(sys.executable)'
    exit 0
}

works "python$version" && found "python$version"
works python3 && found python3

if command -v pyenv >/dev/null 2>&1; then
    # The newest patch release first; a plain glob would put 3.13.10 before 3.13.9.
    for name in $(pyenv versions --bare 2>/dev/null | grep -E "^${version}(\.[0-9]+)?$" | sort -t. -k3,3nr); do
        candidate=$(pyenv prefix "$name" 2>/dev/null)/bin/python
        works "$candidate" && found "$candidate"
    done
fi

exit 1

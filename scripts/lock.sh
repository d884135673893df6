#!/bin/sh
# Writes requirements/*.txt: exact versions with the hashes of their files for every platform and Python from 3.11 on.
# Run it after a dependency in a pyproject.toml changed. It needs uv (pip install uv). The files name no index: pip takes
# packages from wherever its configuration points to, and the hashes say whether they are the right ones.
# `sh scripts/lock.sh --upgrade` also takes newer versions of what is locked already.
set -eu
cd "$(dirname "$0")/.."

lock() { # lock NAME [option...]
    name=$1
    shift
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
        --no-emit-index-url --no-emit-find-links --custom-compile-command "sh scripts/lock.sh" \
        --excludes requirements/excluded.txt \
        --no-emit-package saccade --no-emit-package saccade-phone --no-emit-package saccade-mini \
        --no-emit-package saccade-vision --no-emit-package torch \
        "requirements/$name.in" --output-file "requirements/$name.txt" "$@"
}

lock dev "$@"
lock demo --constraints requirements/dev.txt "$@"

if grep -nE '://|file:|^-e|^/' requirements/demo.txt requirements/dev.txt; then
    echo "lock: the lines above name an address or a path of this machine" >&2
    exit 1
fi

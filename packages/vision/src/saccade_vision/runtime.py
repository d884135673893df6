"""Run a network from an ONNX file on the CPU: OpenVINO where it is installed, onnxruntime elsewhere.

OpenVINO computes in 16-bit floats where the processor can (aarch64, newer x86-64), which halves the time of the text
networks; where it cannot, it uses 32-bit floats by itself.

    network = open_network(path, threads=1)
    (map,) = network(picture)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from saccade.errors import MissingError
from saccade_vision.signal_stack import kept_signal_stack

Array = NDArray[Any]
Backend = Literal["openvino", "onnxruntime"]
Rewrites = Sequence[Callable[[Any], object]]
"""Functions that change an `openvino.Model` before it is compiled."""


class OnnxNetwork:
    """A network that is ready to run. It may be called from several threads; the calls wait for each other."""

    def __init__(self, backend: Backend, names: list[str], run: Callable[[dict[str, Array]], list[Array]]) -> None:
        self.backend = backend
        self.names = names
        """The inputs' names."""
        self._run = run
        self._lock = Lock()

    def __call__(self, inputs: Mapping[str, Array] | Array) -> list[Array]:
        """All outputs, in the file's order. A single array is the first input."""
        named = dict(inputs) if isinstance(inputs, Mapping) else {self.names[0]: inputs}
        with self._lock:
            return self._run(named)


def default_backend() -> Backend:
    """What `open_network` takes where nothing is asked for."""
    return "openvino" if find_spec("openvino") else "onnxruntime"


def open_network(
    path: Path,
    threads: int = 0,
    backend: Backend | None = None,
    half: bool = True,
    rewrites: Rewrites = (),
) -> OnnxNetwork:
    """A network from an ONNX file.

    `threads`: how many it computes with; 0 leaves it to the environment variable OMP_NUM_THREADS, which OpenVINO does
    not read by itself, and without that to the library. `half`: 16-bit floats are exact enough.
    `rewrites`: functions of `graph_rewrites` and `int8`; onnxruntime does without.
    """
    asked = os.environ.get("OMP_NUM_THREADS", "")
    threads = threads or (int(asked) if asked.isdecimal() else 0)
    if not path.is_file():
        raise MissingError(f"the network {path} is missing: install saccade-vision again")
    backend = backend or default_backend()
    if not find_spec(backend):
        raise MissingError(f"{backend} is not installed: run pip install {backend}")
    return _OPENERS[backend](path, threads, half, rewrites)


def _open_with_openvino(path: Path, threads: int, half: bool, rewrites: Rewrites) -> OnnxNetwork:
    openvino = import_openvino()
    settings: dict[str, Any] = {
        "PERFORMANCE_HINT": "LATENCY",
        "NUM_STREAMS": 1,
        "INFERENCE_PRECISION_HINT": "f16" if half else "f32",
    }
    if threads:
        settings["INFERENCE_NUM_THREADS"] = threads
    core = openvino.Core()
    model = core.read_model(path)
    for rewrite in rewrites:
        rewrite(model)
    with kept_signal_stack():
        compiled = core.compile_model(model, "CPU", settings)
    request = compiled.create_infer_request()

    def run(inputs: dict[str, Array]) -> list[Array]:
        found = request.infer({name: np.ascontiguousarray(value) for name, value in inputs.items()})
        return [np.asarray(found[output]) for output in compiled.outputs]

    return OnnxNetwork("openvino", [one.get_any_name() for one in compiled.inputs], run)


def import_openvino() -> Any:
    """OpenVINO without its telemetry, which reports each import to a server unless its package is missing."""
    name = "openvino_telemetry"
    missing: Any = None  # what Python takes as "there is no such module"
    hidden = sys.modules.setdefault(name, missing) is None
    try:
        return import_module("openvino")
    finally:
        if hidden:
            del sys.modules[name]


def _open_with_onnxruntime(path: Path, threads: int, half: bool, rewrites: Rewrites) -> OnnxNetwork:
    import onnxruntime  # noqa: PLC0415

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    if threads:
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return OnnxNetwork(
        "onnxruntime", [one.name for one in session.get_inputs()], lambda inputs: session.run(None, inputs)
    )


_OPENERS: dict[Backend, Callable[[Path, int, bool, Rewrites], OnnxNetwork]] = {
    "openvino": _open_with_openvino,
    "onnxruntime": _open_with_onnxruntime,
}

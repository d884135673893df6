"""Shared by all that uses torch and transformers: late imports, devices, quiet loading, errors in one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from saccade.errors import InputError, MissingError
from saccade.models.base import ModelError

INSTALL = "local models need torch and transformers: run make setup-all, or pip install 'saccade[train]'"
DTYPES = ("auto", "float32", "bfloat16", "float16")
LOCAL_ONLY = {"local_files_only": True, "trust_remote_code": False}
"""Passed to every load: without it, transformers asks the network, or asks the user whether to run a folder's code."""


def libraries() -> tuple[Any, Any]:
    """torch and transformers: imported late, because most commands need neither."""
    try:
        import torch  # noqa: PLC0415  (an extra)
        import transformers  # noqa: PLC0415
    except ImportError as error:
        raise MissingError(f"{INSTALL} ({error})") from None
    return torch, transformers


def check_dtype(dtype: str) -> None:
    """Refuse a precision that is unknown."""
    if dtype not in DTYPES:
        raise InputError(f"unknown dtype {dtype!r}: use one of {', '.join(DTYPES)}")


def pick_device(name: str) -> Any:
    """A torch device that works; `auto` is the GPU if there is one."""
    torch, _ = libraries()
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    try:
        device = torch.device(name)
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        problem = f"torch cannot use the device {name!r} ({first_line(error)})"
        raise InputError(f"{problem}: use auto, cpu, cuda or cuda:1") from None
    return device


def first_line(error: BaseException) -> str:
    """An exception's message without what libraries write below its first line."""
    return str(error).partition("\n")[0] or type(error).__name__


def out_of_memory(error: BaseException) -> bool:
    """Whether an exception means that memory ran out, on a GPU or a CPU."""
    torch, _ = libraries()
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return re.search(r"out of memory|allocate memory|not enough memory", str(error), re.IGNORECASE) is not None


@contextmanager
def explained_load_errors(folder: Path) -> Iterator[None]:
    """Turn whatever is wrong with a model's folder into one sentence that names it."""
    from huggingface_hub.errors import StrictDataclassError  # noqa: PLC0415  (comes with transformers)
    from safetensors import SafetensorError  # noqa: PLC0415

    faults = (
        *(OSError, ValueError, LookupError, TypeError, AttributeError, ImportError, RuntimeError, MemoryError),
        *(ArithmeticError, AssertionError),
    )
    try:
        yield
    except (*faults, StrictDataclassError, SafetensorError) as error:
        if out_of_memory(error):
            raise ModelError(f"{folder} does not fit into memory: choose dtype bfloat16 or a smaller model") from None
        raise InputError(f"{folder} cannot be loaded as a model: {first_line(error)}") from None


@contextmanager
def quiet_transformers() -> Iterator[None]:
    """Silence transformers' progress bars and advice: what matters is raised."""
    _, transformers = libraries()
    logging = transformers.utils.logging
    loud, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(loud)
        if bars:
            logging.enable_progress_bar()

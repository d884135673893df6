"""Runs coroutines with a deadline from code that is not asynchronous."""

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class BackgroundLoop:
    """An event loop in its own thread. A call on it can be cancelled at any point, which is the only way to keep a
    deadline with a server that sends one byte per second; and the caller's thread may already run a loop (Playwright).
    """

    def __init__(self, on_close: Callable[[], Awaitable[None]]) -> None:
        self._on_close = on_close
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._end = asyncio.Event()
        self._closed = False

    def run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        with self._lock:
            if self._closed:
                work.close()
                raise concurrent.futures.CancelledError
            future = asyncio.run_coroutine_threadsafe(work, self._loop or self._start())
        try:
            return future.result(seconds)
        finally:
            future.cancel()

    def _start(self) -> asyncio.AbstractEventLoop:
        started: concurrent.futures.Future[asyncio.AbstractEventLoop] = concurrent.futures.Future()
        self._thread = threading.Thread(target=asyncio.run, args=(self._live(started),), daemon=True, name="openai")
        self._thread.start()
        self._loop = started.result()
        return self._loop

    async def _live(self, started: concurrent.futures.Future[asyncio.AbstractEventLoop]) -> None:
        started.set_result(asyncio.get_running_loop())
        await self._end.wait()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._on_close()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._loop is not None and self._thread is not None and self._thread.is_alive():
                self._loop.call_soon_threadsafe(self._end.set)
                self._thread.join(1.0)

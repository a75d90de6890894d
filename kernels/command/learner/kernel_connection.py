"""Connects browsers with kernels, and mends what jupyter_server doesn't when a connection breaks. It is part of Jupyter's server.

If a browser doesn't answer pings, the server closes its connection, which takes up to five seconds. After that, jupyter_server keeps the
kernel's messages until the browser comes back. But it loses those that come during the five seconds, and those before them that the system
hasn't taken yet, because the browser doesn't read. If the reply to a cell was among them, JupyterLab shows for ever that the cell runs.

When the browser is back, JupyterLab shows the kernel's state as unknown until the kernel sends one for a cell. If the last cell has ended
meanwhile, the kernel sends none before the reader runs another cell. So the server sends the state that it has recorded.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


def taken(written: asyncio.Future[None] | None) -> bool:
    """Returns whether the system has taken a message."""
    return bool(written and written.done() and not written.cancelled() and not written.exception())


class KernelConnection(ZMQChannelsWebsocketConnection):
    """Connects a browser with a kernel as its superclass does. It keeps the messages that it couldn't send, and begins with the state."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # The channel, the message, and the future of its writing (None if it wasn't written). The oldest message comes first.
        self.under_way: deque[tuple[tuple[str, list[Any]], asyncio.Future[None] | None]] = deque()
        self.written: asyncio.Future[None] | None = None

    def connect(self) -> asyncio.Future[None] | None:
        """Returns what its superclass returns. The kernel's state comes after the messages that the server has kept."""
        connected = super().connect()
        if connected:
            connected.add_done_callback(self.send_state)
        return connected

    def send_state(self, _: asyncio.Future[None]) -> None:
        if self.kernel_id in self.multi_kernel_manager and not self.closing():
            state = self.kernel_manager.execution_state
            if state in ("busy", "idle"):
                self._send_status_message(state)

    def closing(self) -> bool:
        websocket = self.websocket_handler.ws_connection
        return websocket is None or websocket.is_closing()

    @property
    def write_message(self) -> Callable[..., None]:
        """A function that writes a message to the browser, and notes in `written` the future that ends when the system has taken it."""

        def write(*words: Any, **options: Any) -> None:
            self.written = self.websocket_handler.write_message(*words, **options)
            self.written.add_done_callback(taken)  # looks at its error, which asyncio would report otherwise

        return write

    def handle_outgoing_message(self, stream: Any, outgoing_msg: list[Any]) -> None:
        while self.under_way and taken(self.under_way[0][1]):
            self.under_way.popleft()
        message = (stream if isinstance(stream, str) else stream.channel, outgoing_msg)
        if self.closing():
            self.under_way.append((message, None))
            return
        self.written = None
        super().handle_outgoing_message(stream, outgoing_msg)
        if self.written:
            self.under_way.append((message, self.written))

    def disconnect(self) -> None:
        """Puts the messages that weren't sent before those that the server keeps from now on, if it keeps any."""
        super().disconnect()
        kept = self.multi_kernel_manager._kernel_buffers.get(self.kernel_id)
        if kept and kept["session_key"] == self.session_key:
            kept["buffer"][:0] = [message for message, written in self.under_way if not taken(written)]
        self.under_way.clear()

"""Connects browsers with kernels, and mends what jupyter_server doesn't when a connection breaks. It is part of Jupyter's server.

A browser that sleeps doesn't answer pings, so the server begins to close its connection. Tornado ends it five seconds later. When the
browser wakes up and sends something on the ended connection, such as the answer to a ping, it gets an error and drops all messages that it
hasn't read. If the reply to a cell was among them, JupyterLab shows for ever that the cell runs. So the server waits until the browser has
read everything and closes the connection itself, or connects again. The kernel's messages that come meanwhile are kept for the new
connection, and so are those that the system hasn't taken yet.

When the browser is back, JupyterLab shows the kernel's state as unknown until the kernel sends one for a cell. If the last cell has ended
meanwhile, the kernel sends none before the reader runs another cell. So the server sends the state that it has recorded.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from tornado.websocket import WebSocketProtocol13


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
        self.websocket: WebSocketProtocol13 | None = None  # kept because the handler forgets it when the server begins to close it

    async def _register_session(self) -> None:
        """Ends a connection of the same browser that is still there, so that its messages are kept for this one."""
        old = self._open_sessions.get(f"{self.kernel_id}:{self.session.session}")
        if old and old.connection:
            if old.connection.websocket:
                old.connection.websocket.stream.close()
            old.on_connection_close()
        await super()._register_session()

    def connect(self) -> asyncio.Future[None] | None:
        """Returns what its superclass returns. The kernel's state comes after the messages that the server has kept."""
        self.websocket = self.websocket_handler.ws_connection
        if self.websocket:
            # Tornado doesn't set the timer that ends the connection if there is one. This one does nothing.
            self.websocket._waiting = asyncio.get_running_loop().call_later(0, int)
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

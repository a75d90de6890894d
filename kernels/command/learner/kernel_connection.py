"""Connects browsers with kernels, and mends what jupyter_server doesn't when a connection breaks. It is part of Jupyter's server.

If a browser doesn't answer pings, the server closes its connection, which takes up to five seconds. After that, jupyter_server keeps the
kernel's messages until the browser comes back, unless another tab uses the kernel. But it loses those that come during the five seconds,
and those before them that the system hasn't taken yet, because the browser doesn't read. If the reply to a cell was among them, JupyterLab
shows for ever that the cell runs.

A browser that slept reads what came before the connection was closed, but it also answers the pings. From a closed connection it gets an
error for that, and drops everything that it hasn't read. So the server only stops sending, and takes what still comes until the browser has
closed the connection, too.

When the browser is back, JupyterLab shows the kernel's state as unknown until the kernel sends one for a cell. If the last cell has ended
meanwhile, the kernel sends none before the reader does something. So the server sends the state that it has recorded.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections import deque
from collections.abc import Callable
from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection
from tornado.web import Finish


def taken(written: asyncio.Future[None] | None) -> bool:
    """Returns whether the system has taken a message."""
    return bool(written and written.done() and not written.cancelled() and not written.exception())


def end(connection: socket.socket) -> None:
    """Stops sending on a non-blocking connection, and closes it when the browser has closed it or is gone."""
    loop = asyncio.get_running_loop()

    def take() -> None:
        try:
            more = connection.recv(65536)
        except BlockingIOError:
            return
        except OSError:  # the browser is gone
            more = b""
        if not more:
            loop.remove_reader(connection)
            connection.close()

    with contextlib.suppress(OSError):  # the browser is gone
        connection.shutdown(socket.SHUT_WR)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    loop.add_reader(connection, take)


class KernelConnection(ZMQChannelsWebsocketConnection):
    """Connects a browser with a kernel as its superclass does. It keeps messages that it couldn't send, and tells the kernel's state."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        # The channel, the message, and the future of its writing (None if it wasn't written). The oldest message comes first.
        self.under_way: deque[tuple[tuple[str, list[Any]], asyncio.Future[None] | None]] = deque()
        self.written: asyncio.Future[None] | None = None
        self.own: socket.socket | None = None  # the connection once more, which stays open when tornado closes it
        self.spoken: str | None = None
        self.counted = self.left = False

    async def prepare(self) -> None:
        """Prepares as its superclass does. Ends the request if the browser has left meanwhile, as it does if the page is reloaded."""
        await super().prepare()
        if self.left:
            raise Finish

    @property
    def subprotocol(self) -> str | None:
        """The protocol of the browser's messages. The handler forgets it when the server begins to close the connection."""
        return self.spoken or super().subprotocol

    def connect(self) -> asyncio.Future[None] | None:
        """Returns what its superclass returns. The kernel's state comes after the messages that the server has kept."""
        if not self.closing():
            connection = self.websocket_handler.ws_connection.stream.socket
            self.own = socket.fromfd(connection.fileno(), connection.family, connection.type)
            self.own.setblocking(False)
            self.spoken = super().subprotocol
        self.counted = True
        connected = super().connect()
        if connected:
            connected.add_done_callback(self.send_state)
        return connected

    def send_state(self, _: asyncio.Future[None]) -> None:
        if self.kernel_id in self.multi_kernel_manager:
            state = self.kernel_manager.execution_state
            if state in ("busy", "idle"):
                self._send_status_message(state)

    def _send_status_message(self, status: str) -> None:
        if not self.closing():
            super()._send_status_message(status)

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
        self.left = True
        # The kernel's connections are counted, and this one isn't among them if the browser left early.
        for _ in range(0 if self.counted else 2):
            self.multi_kernel_manager.notify_connect(self.kernel_id)
        super().disconnect()
        if not self.counted:
            self.multi_kernel_manager.notify_disconnect(self.kernel_id)
        if self.own:
            end(self.own)
            self.own = None
        kept = self.multi_kernel_manager._kernel_buffers.get(self.kernel_id)
        if kept and kept["session_key"] == self.session_key:
            kept["buffer"][:0] = [message for message, written in self.under_way if not taken(written)]
        self.under_way.clear()

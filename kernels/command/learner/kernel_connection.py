"""Connects browsers with kernels, and mends what jupyter_server doesn't when a connection breaks. It is part of Jupyter's server.

If a browser doesn't answer pings, the server closes its connection, which takes up to five seconds. After that, jupyter_server keeps the
kernel's messages until the browser comes back. But it loses those that come during the five seconds. If the reply to a cell was among them,
JupyterLab shows for ever that the cell runs.

When the browser is back, JupyterLab shows the kernel's state as unknown until the kernel sends one for a cell. If the last cell has ended
meanwhile, that is the next time the reader runs one. So the server sends the state that it has recorded.
"""

from __future__ import annotations

from asyncio import Future
from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class KernelConnection(ZMQChannelsWebsocketConnection):
    """Connects a browser with a kernel as its superclass does. It loses no message while it closes, and begins with the kernel's state."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.unsent: list[tuple[str, list[Any]]] = []

    def connect(self) -> Future[None] | None:
        """Returns what its superclass returns. The kernel's state comes after the messages that the server has kept."""
        connected = super().connect()
        if connected:
            connected.add_done_callback(self.send_state)
        return connected

    def send_state(self, _: Future[None]) -> None:
        if self.kernel_id in self.multi_kernel_manager and not self.closing():
            state = self.kernel_manager.execution_state
            if state in ("busy", "idle"):
                self._send_status_message(state)

    def closing(self) -> bool:
        websocket = self.websocket_handler.ws_connection
        return websocket is None or websocket.is_closing()

    def handle_outgoing_message(self, stream: Any, outgoing_msg: list[Any]) -> None:
        if self.closing():
            self.unsent.append((stream if isinstance(stream, str) else stream.channel, outgoing_msg))
        else:
            super().handle_outgoing_message(stream, outgoing_msg)

    def disconnect(self) -> None:
        """Puts the unsent messages before those that the server keeps from now on, if it keeps any."""
        super().disconnect()
        kept = self.multi_kernel_manager._kernel_buffers.get(self.kernel_id)
        if kept and kept["session_key"] == self.session_key:
            kept["buffer"][:0] = self.unsent
        self.unsent = []

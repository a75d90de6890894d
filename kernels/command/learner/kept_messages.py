"""Keeps a kernel's messages while the browser's connection is closing. It is part of Jupyter's server.

If a browser doesn't answer pings, the server closes its connection, which takes up to five seconds. After that, jupyter_server keeps the
kernel's messages until the browser comes back. But it loses those that come during the five seconds. If the reply to a cell was among them,
JupyterLab shows for ever that the cell runs.
"""

from __future__ import annotations

from typing import Any

from jupyter_server.services.kernels.connection.channels import ZMQChannelsWebsocketConnection


class KeptMessages(ZMQChannelsWebsocketConnection):
    """Connects a browser with a kernel as its superclass does, but loses no message while the connection is closing."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.unsent: list[tuple[str, list[Any]]] = []

    def handle_outgoing_message(self, stream: Any, outgoing_msg: list[Any]) -> None:
        websocket = self.websocket_handler.ws_connection
        if websocket is None or websocket.is_closing():
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

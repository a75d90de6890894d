"""Makes messages, from a seed, that nobody should send to a kernel's five ports.

test_kernel_messages.py uses it. Nothing here runs code in the kernel, because no correctly signed message is a valid request.
"""

from __future__ import annotations

import hmac
import json
import random
import socket
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import zmq

DELIMITER = b"<IDS|MSG>"
REQUESTS = ("execute", "complete", "inspect", "history", "is_complete", "kernel_info", "shutdown", "interrupt", "comm_info")
MB = 1 << 20
PEERS = {"shell": b"DEALER", "control": b"DEALER", "stdin": b"DEALER", "hb": b"REQ", "iopub": b"SUB"}  # a front end's socket for each port
LINGER = 3000  # milliseconds for unsent messages at the end; a peer that reconnects too soon isn't received


class Forger:
    """Makes a front end's messages, and many that are nearly correct."""

    def __init__(self, choose: random.Random, key: bytes) -> None:
        self.choose, self.key = choose, key

    def bytes(self, most: int) -> bytes:
        return self.choose.randbytes(self.choose.randint(0, most))

    def header(self, kind: str) -> dict[str, Any]:
        number = f"{self.choose.getrandbits(64):x}"
        return {"msg_id": number, "username": "u", "session": "s", "date": "2026-01-01T00:00:00Z", "msg_type": kind, "version": "5.3"}

    def signed(self, parts: Sequence[bytes], key: bytes | None = None) -> list[bytes]:
        signature = hmac.new(self.key if key is None else key, b"".join(parts), "sha256").hexdigest()
        return [DELIMITER, signature.encode(), *parts]

    def parts(self, kind: str, content: bytes) -> list[bytes]:
        return [json.dumps(self.header(kind)).encode(), b"{}", b"{}", content]

    def request(self) -> list[bytes]:
        """Returns a request that would be answered and executed if it was signed."""
        content = json.dumps({"code": 'sys.error("a stranger got in")', "cursor_pos": 0, "hist_access_type": "tail", "n": 1}).encode()
        return self.parts(f"{self.choose.choice(REQUESTS)}_request", content)

    # ---- whole messages

    def garbage(self) -> list[bytes]:
        return [self.choose.choice([self.bytes(200), b"", DELIMITER, b"{}"]) for _ in range(self.choose.randint(1, 12))]

    def undelimited(self) -> list[bytes]:
        return self.signed(self.request())[1:]

    def unsigned(self) -> list[bytes]:
        return [DELIMITER, b"", *self.request()]

    def wrongly_signed(self) -> list[bytes]:
        frames = self.signed(self.request(), self.choose.choice([b"", self.bytes(64), self.key + b"x"]))
        if self.choose.random() < 0.3:  # rightly signed, and then one bit changed
            frames = self.signed(self.request())
            place = self.choose.randint(2, 5)
            frames[place] = bytes([frames[place][0] ^ 1]) + frames[place][1:]
        return frames

    def truncated(self) -> list[bytes]:
        """Returns a message that is cut after or within a frame."""
        frames = self.signed(self.request())
        if self.choose.random() < 0.5:
            return frames[: self.choose.randint(1, len(frames) - 1)]
        place = self.choose.randrange(len(frames))
        frames[place] = frames[place][: self.choose.randrange(len(frames[place]))]
        return frames

    def wrong_json(self) -> list[bytes]:
        kind = f"{self.choose.choice(REQUESTS)}_request"
        return self.signed(
            self.parts(kind, self.choose.choice([b"", b"{", b"[", b"null", b'"text', b"[" * 5000, self.bytes(50) + b"\x00"]))
        )

    def wrong_types(self) -> list[bytes]:
        content: dict[str, Any] = {"code": [1], "cursor_pos": {}, "hist_access_type": {}, "restart": {}, "target_name": []}
        return self.signed(self.parts(f"{self.choose.choice(REQUESTS[:5])}_request", json.dumps(content).encode()))

    def wrong_header(self) -> list[bytes]:
        header = self.header("execute_request")
        header[self.choose.choice([name for name in header if name != "date"])] = self.choose.choice([None, {}, [], [[]]])
        whole = self.choose.choice([json.dumps(header).encode(), b"{}", b"null", b"[]", b"7", b"", self.bytes(30) + b"{"])
        return self.signed([whole, b"{}", b"{}", b'{"code": "sys.exit(3)"}'])

    def unknown_type(self) -> list[bytes]:
        return self.signed(self.parts(self.choose.choice(["dance_request", "", "execute_reply_", "debug_request"]), b"{}"))

    def many_frames(self) -> list[bytes]:
        return [b"x"] * self.choose.randint(1000, 3000)

    def large(self) -> list[bytes]:
        """Returns an unsigned message of a size that a kernel must accept."""
        return [DELIMITER, b"", b"{}", b"{}", b"{}", bytes(self.choose.randint(1, 4) * MB)]

    def small(self) -> list[bytes]:
        makers = (
            (20, self.garbage),
            (10, self.undelimited),
            (15, self.unsigned),
            (15, self.wrongly_signed),
            (20, self.truncated),
            (6, self.wrong_json),
            (6, self.wrong_types),
            (4, self.wrong_header),
            (4, self.unknown_type),
        )
        return self.choose.choices([make for _, make in makers], [weight for weight, _ in makers])[0]()

    # ---- bytes on a connection

    def connection(self, kind: bytes) -> tuple[list[bytes], int]:
        """Returns what to write on one connection, and after which piece to read the other side first (0: never)."""
        greeting = b"\xff" + bytes(8) + b"\x7f"
        version3 = greeting + b"\x03\x00" + b"NULL".ljust(20, b"\x00") + bytes(32)
        ready = b"\x05READY\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind
        command = bytes([4, len(ready)]) + ready
        frame = self.choose.choice(
            [
                b"\x02" + struct.pack(">Q", self.choose.choice([(1 << 64) - 1, 1 << 63, (1 << 63) + (1 << 31) - 1, 1 << 40, 40 * MB])),
                b"\x03" + struct.pack(">Q", 100) + self.bytes(100),
                b"\x04\x05\x05READ" + self.bytes(20),
                b"\x06" + b"\xff" * 8,
                b"\x01\x00" * self.choose.randint(1, 300),
                self.bytes(300),
            ]
        )
        return self.choose.choice(
            [
                ([self.bytes(400)], 0),
                ([greeting[: self.choose.randint(0, 10)]], 0),
                ([greeting, self.bytes(100)], 0),
                ([b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"], 0),
                ([version3[: self.choose.randint(10, 64)]], 0),
                ([version3, self.bytes(200)], 0),
                ([version3, b"\x04\x06\x05READY", frame], 0),
                ([version3, command[: self.choose.randint(1, len(command))]], 0),
                ([version3, bytes([4, 60]) + ready + b"\x08Identity\xff\xff\xff\xff" + bytes(40)], 0),
                ([version3, command, frame], 2),
                ([version3, command, frame], 2),
                ([version3, command, frame], 2),
                ([greeting + b"\x00" + b"\x05", b"\x01\x00", frame], 0),  # ZMTP 2.0
                ([greeting + b"\x01" + b"\x05", b"\x00\x00", frame], 0),
                ([b"\x01\x00", b"\xff" + struct.pack(">Q", self.choose.getrandbits(64)) + self.bytes(50)], 0),  # ZMTP 1.0
                ([b"\x01\x00", b"\x02\x00a" * 20], 0),
            ]
        )


class Strangers:
    """Sends such messages to the ports in `info`. `seed` decides their order and kind, and `count` is their total number."""

    def __init__(self, info: dict[str, Any], seed: int, count: int) -> None:
        self.info, self.count = info, count
        self.choose = random.Random(seed)
        self.forger = Forger(self.choose, info["key"])
        self.context = zmq.Context()
        self.sockets: dict[str, zmq.Socket[bytes]] = {}
        self.sent: dict[str, int] = {}

    def send(self, count: int) -> None:
        """Sends the next `count` messages."""
        for _ in range(count):
            number = sum(self.sent.values())
            how = self.way(number)
            how()
            self.sent[how.__name__] = self.sent.get(how.__name__, 0) + 1

    def leave(self) -> None:
        for channel in list(self.sockets):
            self.close(channel)
        self.context.term()

    def way(self, number: int) -> Callable[[], None]:
        # A few large ones, and the rest small.
        if number % (self.count // 6) == 100:
            return self.too_large
        if number % (self.count // 20) == 25:
            return self.large
        ways = (self.message, self.connection, self.to_heartbeat, self.to_iopub)
        return self.choose.choices(ways, (70, 15, 5, 10))[0]

    def peer(self, channel: str) -> zmq.Socket[bytes]:
        """Returns a peer, usually one that is already connected."""
        if channel in self.sockets and self.choose.random() < 0.02:
            self.close(channel)
        if channel not in self.sockets:
            peer = self.context.socket(zmq.XSUB if channel == "iopub" else zmq.DEALER)
            peer.linger = LINGER
            if self.choose.random() < 0.2:
                peer.identity = b"n" + self.choose.randbytes(self.choose.randint(5, 254))
            peer.connect(f"tcp://{self.info['ip']}:{self.info[channel + '_port']}")
            self.sockets[channel] = peer
        return self.sockets[channel]

    def close(self, channel: str) -> None:
        self.sockets.pop(channel).close()

    def any_of_three(self) -> zmq.Socket[bytes]:
        return self.peer(self.choose.choice(("shell", "control", "stdin")))

    def message(self) -> None:
        frames = self.forger.small() if self.choose.random() > 0.002 else self.forger.many_frames()
        self.any_of_three().send_multipart(frames)

    def large(self) -> None:
        self.any_of_three().send_multipart(self.forger.large())

    def too_large(self) -> None:
        frames = self.forger.signed([b"{}", b"{}", b"{}", bytes(24 * MB)])
        if self.choose.random() < 0.5:  # none of its frames is
            frames = [*self.forger.unsigned(), *[bytes(MB)] * 24]
        self.any_of_three().send_multipart(frames)

    def to_heartbeat(self) -> None:
        frames = self.choose.choice([[b""], [b"", b"ping"], [b"", b"a", b"b"], [self.forger.bytes(300)], [bytes(5000)], [b"x"] * 50])
        self.peer("hb").send_multipart(frames)

    def to_iopub(self) -> None:
        # Not long enough to break the connection, because a peer repeats all its topics on each new one, forever.
        topic = self.forger.bytes(self.choose.choice([0, 20, 400]))
        self.peer("iopub").send_multipart([self.choose.choice([b"\x01", b"\x01", b"\x00", b"\x02", b""]) + topic])

    def connection(self) -> None:
        channel = self.choose.choice(list(PEERS))
        pieces, heard = self.forger.connection(PEERS[channel])
        with socket.create_connection((self.info["ip"], self.info[f"{channel}_port"]), timeout=20) as raw:
            if self.choose.random() < 0.3:  # ends with a reset
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            try:
                for number, piece in enumerate(pieces):
                    if heard and number == heard:
                        read_exactly(raw, 64 + 2)
                    raw.sendall(piece)
            except OSError:
                return  # The kernel closed the connection before everything was sent.


def read_exactly(raw: socket.socket, count: int) -> bytes:
    return b"".join(iter_bytes(raw, count))


def iter_bytes(raw: socket.socket, count: int) -> Iterator[bytes]:
    while count > 0:
        piece = raw.recv(count)
        if not piece:
            raise ConnectionError("cut off")
        count -= len(piece)
        yield piece

"""Takes updates that a page sends: count_updates.py PORT UPDATES; prints updates a second."""

import re
import sys
import time

import viser
import zstandard
from websockets.sync.client import connect

port, wanted = int(sys.argv[1]), int(sys.argv[2])
count, begin = 0, None
with connect(f"ws://127.0.0.1:{port}", subprotocols=[f"viser-v{viser.__version__}"], max_size=None) as socket:
    while count < wanted:
        message = socket.recv(timeout=30)
        size = int.from_bytes(message[8:16], "little")
        text = zstandard.ZstdDecompressor().decompress(message[16 : 16 + size], max_output_size=1 << 26)
        if re.search(rb"t = [0-9.]+ s", text):  # the last part of an update
            count, begin = count + (begin is not None), begin or time.monotonic()
print(count / (time.monotonic() - begin))

"""A websocket for the length of a block."""

from contextlib import asynccontextmanager

from channels.testing import WebsocketCommunicator


@asynccontextmanager
async def connected_communicator(consumer, path="/ws/"):
    communicator = WebsocketCommunicator(consumer, path)
    connected, _ = await communicator.connect()
    assert connected
    try:
        yield communicator
    finally:
        await communicator.disconnect()

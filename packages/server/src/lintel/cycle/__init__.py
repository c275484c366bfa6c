"""The order of a request, and how its steps run: without a loop, and on the event loop."""

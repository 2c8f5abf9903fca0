"""Facts about IR functions: pure functions from IR to mappings, never written onto nodes."""

"""Black-box conformance tests for servers and clients of the Roost protocol (protocol.md), with no dependency."""

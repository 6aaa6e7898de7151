"""Checks of the requirements on a server, one or more modules for each chapter of protocol.md."""

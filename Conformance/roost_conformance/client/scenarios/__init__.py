"""Scenarios, one or more modules for each chapter of protocol.md."""

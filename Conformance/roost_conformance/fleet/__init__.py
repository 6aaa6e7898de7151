"""Shared histories: several clients, one real server, and a proxy that makes faults between them."""

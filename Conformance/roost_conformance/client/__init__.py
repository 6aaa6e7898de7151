"""The tester of clients: a scripted server with faults, and an adapter that drives the client under test."""

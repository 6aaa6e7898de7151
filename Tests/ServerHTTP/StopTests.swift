import Testing

/// A server that stops while connections arrive.
///
/// The underlying library ends the process when an accepted connection is released unhandled, so a failure here is a crash.
@Suite struct StopTests {
    @Test func connectionsThatArriveAsAServerIsCancelledDoNoHarm() async throws {
        for _ in 1...10 {
            let callers = Callers()
            try await TestServer.run { server in
                callers.start(port: server.port)
                try await callers.haveConnected(20)
            }
            callers.stop()
        }
    }

    @Test func connectionsThatArriveAtASignalDoNoHarm() async throws {
        try await offTasks {
            for _ in 1...5 {
                let program = try ServerProgram(data: ServerProgram.newFolder())
                let callers = Callers()
                callers.start(port: program.port)
                while callers.connected < 20 {}
                #expect(program.stop().status == 0)
                callers.stop()
            }
        }
    }
}

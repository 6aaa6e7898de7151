import Foundation
import Replica
import TestLoopback
import TestProcesses
import Testing

/// Commands that have to wait: each wait is bounded and announced, and the status is the documented one.
@Suite(.serialized) struct WaitTests {
    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        let begin = Date()
        try body()
        return Date().timeIntervalSince(begin)
    }

    private func answerAll(_ status: String, retryAfter: Int) throws -> LoopbackServer {
        let body = """
            {"error": {"code": "too_many_requests", "message": "Too many requests.", "retryAfter": \(retryAfter)}}
            """
        return try LoopbackServer { _, connection in
            connection.send("HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            return .keep
        }
    }

    @Test(arguments: [60, 3600])
    func serverThatAsksForALongPauseIsLeftForLater(retryAfter: Int) throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.sql(first, "insert into person(name) values ('Ana')")
        let busy = try answerAll("429 Too Many Requests", retryAfter: retryAfter)
        defer { busy.close() }
        try Programs.sql(
            first, "update roost_state set value = 'http://127.0.0.1:\(busy.port)' where name = 'server'")
        let time = try seconds {
            let output = try Programs.run("roost", ["sync", first])
            #expect(output.status == 75, "\(output)")
            #expect(output.error.contains("Too many requests. The server asks to try again in"), "\(output)")
        }
        #expect(time < 20)
        try Programs.sql(first, "update roost_state set value = '\(stage.address)' where name = 'server'")
        try Programs.check("roost", "sync", first)
    }

    /// A server that accepts connections and never responds.
    @Test func serverThatDoesNotAnswerIsAnnounced() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let silent = try LoopbackServer { _, connection in
            connection.waitUntilClosed()
            return .close
        }
        defer { silent.close() }
        try Programs.sql(
            first, "update roost_state set value = 'http://127.0.0.1:\(silent.port)' where name = 'server'")
        let running = try RunningProgram("roost", ["invite", first], log: stage.folder.appending(path: "invite.log"))
        let isSaid = try eventually { running.log.contains("waiting for the answer of http://127.0.0.1") }
        #expect(isSaid, "\(running.log)")
        #expect(running.wait() == 69, "\(running.log)")
        try Programs.sql(first, "update roost_state set value = '\(stage.address)' where name = 'server'")
        try Programs.check("roost", "invite", first)
    }

    @Test func openWriteTransactionOfAnotherProgramIsBounded() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.sql(first, "insert into person(name) values ('Ana')")
        let holder = try stage.hold(first, "begin immediate; insert into person(name) values ('Bob');")
        defer { holder.kill() }
        // Records that can be read are printed at once.
        let reading = try seconds {
            for command in ["status", "journal"] { try Programs.check("roost", command, first) }
        }
        #expect(reading < 15)
        let time = try seconds {
            let output = try Programs.run("roost", ["sync", first])
            #expect(output.status == 75, "\(output)")
            #expect(output.error.contains("waiting for another program that holds"), "\(output)")
        }
        #expect(time < 60)
        try expectDone(["sync", first], without: holder)
    }

    /// The commands run concurrently, because each waits as long as it may.
    @Test func commandsThatWriteAreBounded() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.sql(first, "insert into person(name) values ('Ana')")
        try Programs.check("roost", "sync", first)
        let link = try Programs.check("roost", "invite", first).lines[0]
        let holder = try stage.hold(first, "begin immediate; insert into person(name) values ('Bob');")
        defer { holder.kill() }
        let commands = [
            ["update", first, "Person", "--all", "--set", "name=Eve"], ["delete", first, "Person", "--all"],
            ["join", link, first],
        ]
        let time = try seconds {
            let running = try commands.map { arguments in
                try RunningProgram(
                    "roost", arguments, log: stage.folder.appending(path: "\(arguments[0]).log"))
            }
            for (arguments, program) in zip(commands, running) {
                #expect(program.wait() == 75, "\(arguments): \(program.log)")
                #expect(program.log.contains("another program"), "\(arguments): \(program.log)")
            }
        }
        #expect(time < 90)
        try expectDone(["sync", first], without: holder)
        #expect(try Programs.sql(first, "select name from person").lines == ["Ana"])
    }

    private func expectDone(_ arguments: [String], without holder: RunningProgram) throws {
        holder.kill()
        let isDone = try eventually { try Programs.run("roost", arguments).status == 0 }
        #expect(isDone)
    }

    /// The process that checkpoints the WAL was stopped.
    @Test func lockOfTheLogIsBounded() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let script = """
            import fcntl, struct, sys, time
            file = open(sys.argv[1], "r+b")
            fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 1, 1, 0))
            print("ready", flush=True)
            time.sleep(120)
            """
        try Programs.check("roost", "sync", first)
        let holder = try RunningProgram(
            "python3", ["-c", script, first + "-sync"], log: stage.folder.appending(path: "holder.log"))
        defer { holder.kill() }
        let isReady = try eventually { holder.log.contains("ready") }
        #expect(isReady, "\(holder.log)")
        let time = try seconds {
            let output = try Programs.run("roost", ["sync", first])
            #expect(output.status == 75 && output.error.contains("writing its log back"), "\(output)")
        }
        #expect(time < 40)
        try expectDone(["sync", first], without: holder)
    }

    /// Another tool switches the WAL off, and a reader keeps the file open.
    @Test func readerWithoutTheLogBlocksNobodyForLong() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try Programs.check("roost", "sync", first)
        #expect(try Programs.sql(first, "pragma journal_mode = delete").lines == ["delete"])
        let reader = try stage.hold(first, "begin; select count(*) from person;")
        let time = try seconds {
            let output = try Programs.run("roost", ["sync", first])
            #expect([0, 75].contains(output.status), "\(output)")
            #expect(output.standard.contains("switched off the write-ahead log"), "\(output)")
        }
        #expect(time < 40)
        let daemon = try RunningProgram("roostd", [first], log: stage.folder.appending(path: "daemon.log"))
        let isSaid = try eventually { daemon.log.contains("switched off the write-ahead log") }
        #expect(isSaid, "\(daemon.log)")
        // A command may report that it has waited long enough, because the daemon tries to switch the WAL on.
        let isAnswered = try eventually {
            let status = try Programs.run("roost", ["status", first])
            return status.status == 0 && status.standard.contains("log       off")
        }
        #expect(isAnswered)
        reader.kill()
        let isOn = try eventually {
            let mode = try Programs.sql(first, "pragma journal_mode").lines == ["wal"]
            return mode && daemon.log.contains("log is on again")
        }
        #expect(isOn, "\(daemon.log)")
        try Programs.sql(first, "insert into person(name) values ('Ana')")
        let isPushed = try eventually {
            try Programs.check("roost", "status", first).standard.contains("waiting   nothing")
        }
        #expect(isPushed, "\(daemon.log)")
        #expect(daemon.terminate() == 0, "\(daemon.log)")
    }
}

import Foundation
import GRDB
import Replica
import Roost
import Session
import TestPlainSQL
import Testing

/// Work of a running session while it is idle.
@Suite struct RestTests {
    /// The session checkpoints the statements of another program, whose own connection checkpoints nothing.
    @Test(.timeLimit(.minutes(2))) func sessionCopiesTheLogBackAtRest() async throws {
        let device = try JoinedDevice(.continuous(waitSeconds: 50), port: 1)
        device.replica.beginCopyingLog()
        let running = Task { [synchronizer = device.synchronizer] in await synchronizer.run() }
        let result: Result<Int, any Error>
        do {
            result = .success(try await Self.writeUntilCopied(device))
        } catch {
            result = .failure(error)
        }
        // A running session needs its replica.
        await device.synchronizer.stop()
        _ = await running.value
        await device.shutdown()
        #expect(try result.get() < 1000)
    }

    /// Users copy the file alone.
    @Test(.timeLimit(.minutes(2))) func sessionCopiesASmallLogBackOnceItIsIdle() async throws {
        let device = try JoinedDevice(.continuous(waitSeconds: 50), port: 1)
        device.replica.beginCopyingLog()
        let running = Task { [synchronizer = device.synchronizer] in await synchronizer.run() }
        let result: Result<Int, any Error>
        do {
            let plain = try PlainSQL(device.replica.path)
            defer { try? plain.close() }
            try plain.executeOutsideTransaction("PRAGMA wal_autocheckpoint = 0")
            try plain.execute("insert into person(name) values (?)", ["Ana"])
            await device.synchronizer.localChange()
            var attempts = 0
            while try Self.count(inFile: device.replica.path) == 0, attempts < 600 {
                attempts += 1
                try await Task.sleep(for: .milliseconds(100))
            }
            result = .success(try Self.count(inFile: device.replica.path))
        } catch {
            result = .failure(error)
        }
        await device.synchronizer.stop()
        _ = await running.value
        await device.shutdown()
        #expect(try result.get() == 1)
    }

    /// - Returns: The number of statements until the file without its WAL shows one.
    private static func writeUntilCopied(_ device: JoinedDevice) async throws -> Int {
        let plain = try PlainSQL(device.replica.path)
        defer { try? plain.close() }
        try plain.executeOutsideTransaction("PRAGMA wal_autocheckpoint = 0")
        var number = 0
        while try number < 1000 && (number % 20 > 0 || count(inFile: device.replica.path) == 0) {
            number += 1
            try plain.execute("insert into person(name) values (?)", ["\(number)"])
            await device.synchronizer.localChange()
            try await Task.sleep(for: .milliseconds(5))
        }
        return number
    }

    /// Copies the file in a process of its own: closing a file here would release all of this process's locks on it.
    private static func count(inFile path: String) throws -> Int {
        let copy = FileManager.default.temporaryDirectory.appending(path: "roost-rest-\(UUID().uuidString)").path
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + end) } }
        let copying = try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: [path, copy])
        copying.waitUntilExit()
        // A file that was copied during a write is checked again the next time.
        guard let database = try? DatabaseQueue(path: copy) else { return 0 }
        defer { try? database.close() }
        return (try? database.read { try Int.fetchOne($0, sql: "select count(*) from person") ?? 0 }) ?? 0
    }
}

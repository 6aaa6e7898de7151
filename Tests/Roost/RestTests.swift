import Foundation
import GRDB
import Replica
import Roost
import Session
import Testing

/// What a running session does while there is nothing else to do.
@Suite struct RestTests {
    /// Plain statements of another program go into the log, and out of it, without that program's doing: its connection copies nothing back.
    @Test(.timeLimit(.minutes(2))) func sessionCopiesTheLogBackAtRest() async throws {
        let device = try JoinedDevice(.continuous(waitSeconds: 50), port: 1)
        try device.replica.beginCopyingLog()
        let running = Task { [synchronizer = device.synchronizer] in await synchronizer.run() }
        let plain = try DatabaseQueue(path: device.replica.path)
        try await plain.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_autocheckpoint = 0") }
        var number = 0
        // The file without its log.
        while try number % 20 > 0 || Self.count(inFile: device.replica.path) == 0 {
            number += 1
            try await plain.write { [number] in
                try $0.execute(sql: "insert into person(name) values (?)", arguments: ["\(number)"])
            }
            await device.synchronizer.localChange()
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(number < 1000)
        try plain.close()
        await device.synchronizer.stop()
        _ = await running.value
        await device.shutdown()
    }

    /// Copied by a process of its own: to close a file here ends all of this process's locks on it.
    private static func count(inFile path: String) throws -> Int {
        let copy = FileManager.default.temporaryDirectory.appending(path: "roost-rest-\(UUID().uuidString)").path
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + end) } }
        let copying = try Process.run(URL(fileURLWithPath: "/bin/cp"), arguments: [path, copy])
        copying.waitUntilExit()
        // One that was copied in the midst of a write is looked at again the next time.
        guard let database = try? DatabaseQueue(path: copy) else { return 0 }
        defer { try? database.close() }
        return (try? database.read { try Int.fetchOne($0, sql: "select count(*) from person") ?? 0 }) ?? 0
    }
}

import Foundation
import RoostModel
import RoostService
import SQLiteStore
import Testing

/// The program's behaviour when its clock is far ahead at the start.
@Suite struct ClockProgramTests {
    /// Returns the setting `clock` in format 1, with the last reading, the greatest reading, and no jump.
    private static func clock(readAt milliseconds: UInt64) -> [UInt8] {
        func bytes(_ number: UInt64) -> [UInt8] {
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        }
        return [1] + bytes(milliseconds) + bytes(milliseconds) + bytes(0) + bytes(0)
    }

    @Test func operatorSeesThatPurgingWaitsAndConfirmsTheClock() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            _ = try ServerProgram(data: data).stop()
            let store = try SQLiteStore(path: data + "/roost.sqlite", readers: 1)
            let lastRead = UInt64(Date().timeIntervalSince1970 * 1000) - 100 * 24 * 3_600_000
            try store.write { try $0.set("clock", to: Self.clock(readAt: lastRead)) }
            try store.close()
            let program = try ServerProgram(data: data)
            defer { _ = program.stop() }
            let waiting = try program.call("GET", "/v1/health", token: nil)?.json
            #expect(waiting?["status"]?.stringValue == "ok")
            #expect(waiting?["unconfirmedClockJump"]?["from"] == .integer(lastRead))
            let accepted = try ServerProgram.run(["clock", "accept", "--data", data])
            #expect(accepted.status == 0, "\(accepted.errors)")
            #expect(accepted.output.hasPrefix("accepted: the clock went from"))
            let after = try program.call("GET", "/v1/health", token: nil)?.json
            #expect(after?["unconfirmedClockJump"] == nil)
        }
    }

    /// The server starts and answers. Only a check of all pages finds the corruption.
    @Test func damagedPageIsSeenInHealth() async throws {
        try await offTasks {
            let data = ServerProgram.newFolder()
            _ = try ServerProgram(data: data).stop()
            let file = try FileHandle(forUpdating: URL(filePath: data + "/roost.sqlite"))
            let end = try file.seekToEnd()
            try file.seek(toOffset: end - 4096)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
            try file.close()
            let program = try ServerProgram(data: data)
            defer { _ = program.stop() }
            var status: String?
            // The check runs concurrently with the server's start.
            for _ in 0..<600 where status != "damaged" {
                status = try program.call("GET", "/v1/health", token: nil)?.json["status"]?.stringValue
                if status != "damaged" { Thread.sleep(forTimeInterval: 0.05) }
            }
            #expect(status == "damaged", "\(program.log)")
            #expect(program.log.contains("the stored data is damaged"))
        }
    }

    @Test func clockOfAFolderWithoutADatabaseCannotBeConfirmed() throws {
        let outcome = try ServerProgram.run(["clock", "accept", "--data", ServerProgram.newFolder()])
        #expect(outcome.status == 74)
        #expect(outcome.errors.contains("it holds no database"))
    }
}

internal import ArgumentParser
internal import Foundation

/// An error that ends the program with one line on standard error and a status of sysexits.h.
struct Failure: Error, CustomStringConvertible {
    enum Status: Int32 {
        case usage = 64
        case dataError = 65
        case unavailable = 69
        case ioError = 74
        case temporary = 75
    }

    let description: String
    let status: Status

    init(_ description: String, _ status: Status) {
        self.description = description
        self.status = status
    }

    /// Runs `body`. A failure is printed, and ends the program with its status.
    static func reporting(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let failure as Failure {
            Console.note(LogLine.escaped("roost-server: \(failure.description)", inJSON: false))
            throw ExitCode(failure.status.rawValue)
        }
    }
}

internal import ArgumentParser
internal import Foundation
internal import RoostService
internal import SQLiteStore

struct ClockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "Confirm the clock after it has jumped forward.",
        subcommands: [AcceptCommand.self])

    struct AcceptCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept", abstract: "Confirm that this machine's clock is right, also while the server runs.",
            discussion: """
                A server whose clock was more than a day further than at its last reading purges nothing: the clock may be \
                wrong, or the server was off for long. It purges again once a device pushes something that shows the same \
                time, or after this command. "GET /v1/health" shows whether it waits.

                EXAMPLES
                  roost-server clock accept --data /var/lib/roost

                EXIT STATUS
                  0 done   64 wrong usage   74 the data cannot be read or written
                """)

        @Option(help: "The folder that holds everything.")
        var data = "./roost-server-data"

        func run() async throws {
            umask(0o077)
            try await Failure.reporting {
                let jump = try await OperatorStore.with(data, "confirm the clock of \"\(data)\"") { store in
                    try SyncService.acceptClock(in: store, now: OperatorStore.now)
                }
                Console.write(
                    jump.map { "accepted: the clock went from \($0.from.date) to \($0.to.date)" }
                        ?? "accepted: nothing waited for the clock")
            }
        }
    }
}

extension UInt64 {
    /// Milliseconds since 1970 as a date in UTC.
    var date: String { Date(timeIntervalSince1970: Double(self) / 1000).formatted(.iso8601) }
}

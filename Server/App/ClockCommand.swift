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

                A copy of the folder that was put back by hand does not hold what the clock had shown. Where that was ahead, \
                every device is refused that has seen changes of that time. --shown lets them in: stamps up to five minutes after \
                it are accepted from then on, as those of a clock that was ahead and was set right. Take the greatest time that the \
                clock has shown, or the one that the server's log names with the refused changes. It confirms nothing for purging.

                EXAMPLES
                  roost-server clock accept --data /var/lib/roost
                  roost-server clock accept --data /var/lib/roost --shown 2026-12-31T00:00:00Z

                EXIT STATUS
                  0 done   64 wrong usage   74 the data cannot be read or written
                  75 another program holds the data
                """)

        @Option(help: "The folder that holds everything.")
        var data = "./roost-server-data"
        @Option(help: "A time that this clock has shown before a copy was put back by hand.")
        var shown: String?

        /// Ten years. A stamp that is further ahead is a mistake in the argument.
        private static let aheadMillisecondsMax: UInt64 = 10 * 366 * 24 * 3_600_000

        private func reading(_ now: UInt64) throws -> UInt64? {
            guard let shown else { return nil }
            guard let date = try? Date(shown, strategy: .iso8601) else {
                throw Failure(
                    "Cannot accept the time \"\(shown)\": expected a time in UTC such as 2026-12-31T00:00:00Z.", .usage)
            }
            let reading = UInt64(max(0, date.timeIntervalSince1970 * 1000))
            guard reading > now, reading - now <= Self.aheadMillisecondsMax else {
                throw Failure(
                    "Cannot accept the time \"\(shown)\": expected one after now, \(now.date), and within ten years.",
                    .usage)
            }
            return reading
        }

        func run() async throws {
            umask(0o077)
            try await Failure.reporting {
                let now = OperatorStore.now
                let reading = try reading(now)
                let jump = try await OperatorStore.with(data, "confirm the clock of \"\(data)\"") { store in
                    guard let reading else { return try SyncService.acceptClock(in: store, now: now) }
                    try SyncService.acceptReading(reading, in: store)
                    return nil
                }
                if let reading {
                    return Console.write("accepted: changes with stamps up to five minutes after \(reading.date)")
                }
                Console.write(
                    jump.map { "accepted: the clock went from \($0.from.date) to \($0.to.date)" }
                        ?? "accepted: nothing waited for the clock")
            }
        }
    }
}

extension UInt64 {
    /// The date in UTC of milliseconds since 1970.
    var date: String { Date(timeIntervalSince1970: Double(self) / 1000).formatted(.iso8601) }
}

import BenchmarkData
import Foundation
import Replica
import Roost
import RoostModel

/// The latency from a write to its visibility on another connected device (decision 156).
struct Live {
    static let row = Row(
        names: ["live"],
        help: """
            A device writes one record by plain SQL and tells its session, 200 times, 5 ms apart; then the same by the library,
            which also keeps what undo needs. How long until the replica of another connected device shows it to a plain SQL
            connection of the program that synchronises it there, which looks as soon as its session says that there is
            something new. Then the same without a rest, 0.3 ms apart; and once until a list of live results shows it there. Just
            before each write a walk over 32 KiB says what a line of memory takes then. Beside it the bare chain: three processes
            with a plain table each, and a message from one to the next.
            """, run: { try await Live(context: $0).run() })

    /// The program interface that writes the record.
    private enum Writer: String, CaseIterable {
        case plainSQL = "plain SQL"
        case library
    }

    private static let warmUp = 20
    /// A pause like a user's, so that all work of the last write has ended.
    private static let rest = Duration.milliseconds(5)
    /// A pause long enough for the work after the last write, and too short for the processors and their caches to become
    /// idle.
    private static let noRest = Duration.microseconds(300)

    let context: Context

    /// Returns the spendings to write. The first few warm up.
    static func work(_ count: Int) -> Workload { Workload(people: 1, spendings: count, seed: 5) }

    /// The interface that the other device's program observes.
    private enum Observer {
        case table
        case list

        var arguments: [String] { self == .list ? ["--results"] : [] }
    }

    private struct Writes {
        var rested = SamplesByLine()
        var unrested = SamplesByLine()
    }

    private struct Measured {
        let writes: Writes
        /// The times of the write alone, into a plain table.
        let plain: Samples
    }

    func run() async throws -> [Figure] {
        var figures: [Figure] = []
        for durability in [Durability.normal, .full] {
            let work = Self.work(context.liveWrites + Self.warmUp)
            let bare = try await BareChain(context: context, durability: durability).times(work, warmUp: Self.warmUp)
            for writer in Writer.allCases {
                figures += self.figures(try await measure(durability, writer, .table), durability, writer, bare)
            }
        }
        return figures + [figure(inList: try await measure(.normal, .library, .list))]
    }

    private func measure(_ durability: Durability, _ writer: Writer, _ observer: Observer) async throws -> Measured {
        let server = try await ServerProcess.start(context, durability)
        defer { server.stop() }
        let scope = try await ServedScope.make(context, on: server, durability)
        let other = try await scope.join("other")
        try other.close()
        let session = try LiveSession(scope.owner)
        async let report = session.run()
        let observer = try ChildProcess(
            context.program,
            ["observe", "--replica", other.path, "--synchronous", durability.rawValue] + observer.arguments)
        defer { observer.stop() }
        _ = try await observer.line()
        let writes = try await write(scope.owner, writer, durability, session, observer)
        await session.stop()
        _ = await report
        try scope.owner.close()
        let plain = try PlainTable(context: context, durability: durability)
            .singleInserts(Workload(people: 1, spendings: context.liveWrites, seed: 5).spendings)
        return Measured(writes: writes, plain: plain)
    }

    private func figure(inList measured: Measured) -> Figure {
        let value = measured.writes.rested.times.percentile(50)
        return Figure(
            row: "live", measure: "list p50", work: "the same by the library, shown by live results there, p50",
            durability: .normal, value: value, unit: "ms", repeats: measured.writes.rested.times.repeats,
            detail: measured.writes.rested.byLine)
    }

    private func figures(_ measured: Measured, _ durability: Durability, _ writer: Writer, _ bare: Samples) -> [Figure]
    {
        let (writes, plain) = (measured.writes, measured.plain)
        return [
            figure(50, writes.rested, plain, bare, durability, writer, bound: 0.9),
            figure(99, writes.rested, plain, bare, durability, writer, bound: 2.6),
            Figure(
                row: "live", measure: "\(writer.rawValue) p50 without a rest",
                work: "the same, 0.3 ms after the last and not 5, p50", durability: durability,
                value: writes.unrested.times.percentile(50), unit: "ms", repeats: writes.unrested.times.repeats,
                detail: "a line of memory \(Report.number(writes.unrested.line)) ns before a write"),
        ]
    }

    private func figure(
        _ percent: Double, _ writes: SamplesByLine, _ plain: Samples, _ bare: Samples, _ durability: Durability,
        _ writer: Writer, bound: Double
    ) -> Figure {
        let value = writes.times.percentile(percent)
        let chain =
            "floor: a bare chain of three commits and two messages; a line of memory \(Report.number(writes.line)) ns before "
            + "a write"
        // For rare percentiles, a third of the writes has too few samples.
        let thirds = percent > 50 ? "" : "; " + writes.byLine
        return Figure(
            row: "live", measure: "\(writer.rawValue) p\(Int(percent))",
            work: "one write (\(writer.rawValue)) seen on another connected device, p\(Int(percent))",
            durability: durability, value: value, unit: "ms",
            // At FULL there is no target, because three commits wait for the disk on the way.
            bar: durability == .normal ? .atMost(bound) : nil,
            baseline: .cost(plain.percentile(percent), "ms", of: value),
            floor: .cost(bare.percentile(percent), "ms", of: value), repeats: writes.times.repeats,
            detail: chain + thirds)
    }

    private func write(
        _ replica: Replica, _ writer: Writer, _ durability: Durability, _ session: LiveSession, _ observer: ChildProcess
    ) async throws -> Writes {
        let memory = MemoryLines()
        defer { memory.free() }
        let rested = context.liveWrites + Self.warmUp
        let work = Self.work(rested + context.liveWrites)
        try replica.write("person") { try $0.put("Person", id: work.people[0].id, ["name": .string("Person")]) }
        session.localChange()
        let insert = try RawDatabase(replica.path, durability).prepareInsert()
        var writes = Writes()
        for (index, spending) in work.spendings.enumerated() {
            try await Task.sleep(for: index < rested ? Self.rest : Self.noRest)
            let line = try memory.nanoseconds()
            let start = Stopwatch.nanoseconds
            switch writer {
            case .plainSQL: try insert.run(spending)
            case .library: try replica.write("spending") { try $0.put("Spending", id: spending.id, spending.values) }
            }
            session.localChange()
            guard let seen = UInt64(try await observer.line()) else {
                throw BenchmarkError("The observer says no time.")
            }
            let milliseconds = Double(seen - start) / 1_000_000
            if index >= rested {
                writes.unrested.add(milliseconds: milliseconds, line: line)
            } else if index >= Self.warmUp {
                writes.rested.add(milliseconds: milliseconds, line: line)
            }
        }
        return writes
    }
}

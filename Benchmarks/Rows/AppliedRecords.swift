import BenchmarkData
import Foundation
import Replica
import RoostModel

/// Applying pulled records to a replica, compared with upserts of equal rows into a plain table with an equal index.
struct AppliedRecords {
    static let row = Row(
        names: ["apply"],
        help: """
            Pulled records taken into a replica, 1,000 in a page and transaction, as a multiple of a prepared upsert of the
            same rows into a plain table with the same index, 1,000 in a transaction; pages in turns; new and existing rows. Beside
            it the same upsert with a second one, of a stamp and a hash, which is the simplest replica.
            """, run: { try AppliedRecords(context: $0).run() })

    private static let pageSize = 1000

    /// The seconds for equal pages.
    private struct Times {
        var apply = 0.0
        var upsert = 0.0
        /// The time of the upserts together with upserts of a stamp and a hash.
        var stamped = 0.0
    }

    let context: Context

    func run() throws -> [Figure] {
        try [Durability.normal, .full].flatMap(measure)
    }

    private func measure(_ durability: Durability) throws -> [Figure] {
        let count = context.applyCount
        let work = Workload(people: count / Person.spendingsEach, spendings: count, seed: 9)
        var new: [Times] = []
        var existing = new
        for _ in 0..<3 {
            let rounds = try round(work, durability)
            new.append(rounds[0])
            existing.append(rounds[1])
        }
        return figures("new rows", count, durability, new) + figures("existing rows", count, durability, existing)
    }

    private func figures(
        _ name: String, _ count: Int, _ durability: Durability, _ times: [Times]
    ) -> [Figure] {
        let speed = Samples(times.map(\.apply)).speed(of: count)
        let plain = Samples(times.map(\.upsert)).speed(of: count).median
        let ratios = Samples(times.map { $0.apply / $0.upsert })
        let stampedRatio = Samples(times.map { $0.stamped / $0.upsert }).median
        let stampedSpeed = Samples(times.map(\.stamped)).speed(of: count).median
        let baseline = Figure.Baseline(value: plain, unit: "records/s", ratio: ratios.median)
        let work = "\(count) \(name), pages of \(Self.pageSize)"
        return [
            Figure(
                row: "apply", measure: "\(name), ratio", work: work, durability: durability, samples: ratios, unit: "×",
                bar: .atMost(1.5), baseline: baseline, floor: .cost(stampedRatio, "×", of: ratios.median),
                detail: "floor: with a stamp and a hash; pages in turns"),
            Figure(
                row: "apply", measure: "\(name), speed", work: work, durability: durability, samples: speed,
                unit: "records/s", bar: .atLeast(150_000), baseline: baseline,
                floor: .speed(stampedSpeed, "records/s", of: speed.median)),
        ]
    }

    /// - Returns: The times of new rows, then the times of their update with a later stamp and another amount.
    private func round(_ work: Workload, _ durability: Durability) throws -> [Times] {
        let path = try context.freshPath("apply")
        let plainPath = try context.freshPath("plain")
        let stampedPath = try context.freshPath("stamped")
        defer { for path in [path, plainPath, stampedPath] { context.remove(path) } }
        let replica = try context.makeReplica(path, durability)
        let plain = try RawDatabase(plainPath, durability)
        try plain.createPlainTable(withIndex: true)
        let stamped = try RawDatabase(stampedPath, durability, pageBytes: ReplicaFile.pageBytes)
        try stamped.createPlainTable(withIndex: true)
        try stamped.createStampTable()
        let stamp = { (hour: UInt64) in
            HybridTimestamp(
                milliseconds: 1_760_000_000_000 + hour * 3_600_000, counter: 0, replica: ReplicaID(rawValue: 9))
        }
        _ = try replica.apply(work.people.map { $0.state(at: stamp(0)) }, checkpoint: [1], serverTime: nil)
        var edited = work.spendings
        for index in edited.indices { edited[index].amount += 1 }
        let times = [
            try exchange(work.spendings, stamp(0), replica, plain, stamped),
            try exchange(edited, stamp(1), replica, plain, stamped),
        ]
        try replica.close()
        return times
    }

    private func exchange(
        _ spendings: [Spending], _ stamp: HybridTimestamp, _ replica: Replica, _ plain: RawDatabase,
        _ stamped: RawDatabase
    ) throws -> Times {
        let upsert = try plain.prepareUpsert()
        let stampedUpsert = try stamped.prepareUpsert()
        let stampUpsert = try stamped.prepareStampUpsert()
        stampUpsert.bind(2, RecordID(high: stamp.time, low: 9))
        var times = Times()
        for start in stride(from: 0, to: spendings.count, by: Self.pageSize) {
            let page = spendings[start..<min(start + Self.pageSize, spendings.count)]
            let states = page.map { $0.state(at: stamp) }
            times.apply += try Stopwatch.seconds {
                let report = try replica.apply(states, checkpoint: [UInt8](repeating: 1, count: 8), serverTime: nil)
                guard report.applied == states.count, report.unfit == 0 else {
                    throw BenchmarkError("A replica took \(report.applied) of \(states.count) records.")
                }
            }
            times.upsert += try Stopwatch.seconds {
                try plain.transaction { for spending in page { try upsert.run(spending) } }
            }
            times.stamped += try Stopwatch.seconds {
                try stamped.transaction {
                    for spending in page {
                        try stampedUpsert.run(spending)
                        stampUpsert.bind(1, spending.id)
                        // The identifier has the length of a hash, and differs between records.
                        stampUpsert.bind(3, spending.id)
                        try stampUpsert.run()
                    }
                }
            }
        }
        return times
    }
}

import BenchmarkData
import Replica
import RoostModel
import RoostProtocol

/// Deleting and undeleting a record with 100,000 cascade children.
struct DeletedParent {
    static let row = Row(
        names: ["cascade"],
        help: """
            A parent with 100,000 children: deleted by plain SQL and settled, brought back, and both as they arrive from
            another device; and how many changes go over the wire for each.
            """, run: { try DeletedParent(context: $0).run() })

    private static let author = ReplicaID(rawValue: 9)

    let context: Context

    /// The seconds of plain SQLite, and of the rows' move alone.
    private struct Beside {
        var delete: (plain: Double, moved: Double)
        var undelete: (plain: Double, moved: Double)
    }

    private var count: Int { context.amount(100_000, quick: 20_000) }

    func run() throws -> [Figure] {
        try [Durability.normal, .full].flatMap { durability in
            let work = Workload(people: 1, spendings: count, seed: 10)
            let plain = try PlainTable(context: context, durability: durability).deletedAndInserted(work.spendings)
            let moved = try BareMove(context: context, durability: durability).times(work.spendings)
            let beside = Beside(delete: (plain.delete, moved.hide), undelete: (plain.insert, moved.show))
            return try here(work, durability, beside) + elsewhere(work, durability, beside)
        }
    }

    /// Deletes and undeletes on this device.
    private func here(
        _ work: Workload, _ durability: Durability, _ beside: Beside
    ) throws -> [Figure] {
        let path = try context.freshPath("parent")
        defer { context.remove(path) }
        let replica = try filled(path, work, durability)
        let person = work.people[0]
        let raw = try RawDatabase(path, durability)
        let delete = try raw.prepare("DELETE FROM person WHERE id = ?1")
        delete.bind(1, person.id)
        let sql = try Stopwatch.seconds { try delete.run() }
        let settling = try Stopwatch.seconds { try replica.settle() }
        try expect(0, in: raw)
        let deletes = try push(replica)
        let undeleting = try Stopwatch.seconds {
            try replica.write("undelete") { try $0.undelete("Person", id: person.id) }
        }
        try expect(count, in: raw)
        let undeletes = try push(replica)
        try replica.close()
        return [
            time(
                "delete by plain SQL", durability, sql + settling, beside.delete,
                "\(Report.number(sql)) s SQL, rest settling"),
            time("undelete", durability, undeleting, beside.undelete),
            Figure(
                row: "cascade", measure: "changes", work: "changes on the wire, delete and undelete",
                durability: durability,
                value: Double(max(deletes, undeletes)), unit: "changes", bar: .atMost(1)),
        ]
    }

    /// Applies the delete and the undelete of another device.
    private func elsewhere(
        _ work: Workload, _ durability: Durability, _ beside: Beside
    ) throws -> [Figure] {
        let path = try context.freshPath("parent")
        defer { context.remove(path) }
        let replica = try filled(path, work, durability)
        let raw = try RawDatabase(path, durability)
        var state = work.people[0].state(at: stamp(0))
        state.delete = stamp(1)
        let deleting = try Stopwatch.seconds { _ = try replica.apply([state], checkpoint: [1], serverTime: nil) }
        try expect(0, in: raw)
        state.put?.stamp = stamp(2)
        let undeleting = try Stopwatch.seconds { _ = try replica.apply([state], checkpoint: [2], serverTime: nil) }
        try expect(count, in: raw)
        try replica.close()
        return [
            time("delete from another device", durability, deleting, beside.delete),
            time("undelete from another device", durability, undeleting, beside.undelete),
        ]
    }

    private func time(
        _ work: String, _ durability: Durability, _ seconds: Double, _ beside: (plain: Double, moved: Double),
        _ detail: String = ""
    ) -> Figure {
        Figure(
            row: "cascade", measure: work, work: "\(work), \(count) children", durability: durability, value: seconds,
            unit: "s", bar: .atMost(0.5), baseline: .cost(beside.plain, "s", of: seconds),
            floor: .cost(beside.moved, "s", of: seconds),
            detail: detail)
    }

    private func stamp(_ hour: UInt64) -> HybridTimestamp {
        HybridTimestamp(milliseconds: 1_760_000_000_000 + hour * 3_600_000, counter: 0, replica: Self.author)
    }

    private func filled(_ path: String, _ work: Workload, _ durability: Durability) throws -> Replica {
        let replica = try context.makeReplica(path, durability)
        let states = work.people.map { $0.state(at: stamp(0)) } + work.spendings.map { $0.state(at: stamp(0)) }
        for start in stride(from: 0, to: states.count, by: 10_000) {
            let page = Array(states[start..<min(start + 10_000, states.count)])
            _ = try replica.apply(page, checkpoint: [0], serverTime: nil)
        }
        return replica
    }

    /// Seals the pending changes, and handles them as accepted.
    ///
    /// - Returns: The number of changes in the push.
    private func push(_ replica: Replica) throws -> Int {
        let limits = PushLimits(
            changesPerPush: 1000, bytesPerPush: 1 << 20, changesPerTransaction: 1000, bytesPerTransaction: 1 << 20)
        guard let push = try replica.sealPushes(limits: limits).push else { return 0 }
        try replica.acknowledge(push.number, [.accepted(sequence: 1, outcomes: [])], current: [])
        return try push.transactionSizes().reduce(0, +)
    }

    private func expect(_ visible: Int, in raw: RawDatabase) throws {
        let found = try raw.integer("SELECT count(*) FROM spending")
        guard found == visible else {
            throw BenchmarkError("Expected \(visible) visible children, found \(found).")
        }
    }
}

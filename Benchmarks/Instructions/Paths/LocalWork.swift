import BenchmarkData
import Replica
import RoostModel
import RoostProtocol

/// Steps of a device that several paths share.
enum LocalWork {
    static func write(_ spendings: ArraySlice<Spending>, to replica: Replica) throws {
        try replica.write("spendings") { transaction in
            for spending in spendings { try transaction.put("Spending", id: spending.id, spending.values) }
        }
    }

    /// Seals the pending changes into one push.
    static func seal(_ replica: Replica) throws -> SealedPush {
        guard let push = try replica.sealPushes(limits: PushLimits(Limits())).push, push.isLast else {
            throw BenchmarkError("Expected what waits to be sealed into one push.")
        }
        return push
    }

    /// Applies the reply to a push of one transaction, which the server has stored.
    static func acknowledge(_ push: SealedPush, _ replica: Replica) throws {
        try replica.acknowledge(push.number, [.accepted(sequence: 1, outcomes: [])], current: [])
    }

    /// Returns a replica for each round, into which another program has written the round's spendings.
    static func written(_ place: Workplace) throws -> [Replica] {
        try replicas(place) { _, raw, spendings in
            let insert = try raw.prepareInsert()
            try raw.transaction { for spending in spendings { try insert.run(spending) } }
        }
    }

    /// Returns a replica for each round, in which another program has edited the round's spendings. They came from another
    /// device.
    static func edited(_ place: Workplace) throws -> [Replica] {
        try replicas(place) { replica, raw, spendings in
            let known = spendings.map { $0.state(at: Workplace.stamp(1)) }
            _ = try replica.apply(known, checkpoint: [2], serverTime: nil)
            try raw.edit(Array(spendings), with: try raw.prepareEdit())
        }
    }

    /// Returns a replica for each round, with pending changes of another program.
    private static func replicas(
        _ place: Workplace, _ write: (Replica, RawDatabase, ArraySlice<Spending>) throws -> Void
    ) throws -> [Replica] {
        let work = Workplace.work()
        return try (0..<HotPath.roundsMax).map { round in
            let replica = try place.makeReplica("replica-\(round)", with: work.people)
            let raw = try RawDatabase(replica.path, .normal)
            try write(replica, raw, Workplace.spendings(work, round))
            // All changes get the stamp of one millisecond. Changes that share a stamp are stamped again when they are
            // sealed, so the count would otherwise depend on the machine's speed here.
            try raw.execute(
                """
                UPDATE roost_outbox SET put_stamp = (SELECT min(put_stamp) FROM roost_outbox);
                UPDATE roost_mark SET at = (SELECT min(at) FROM roost_mark)
                """)
            return replica
        }
    }

    /// Returns a replica with one person for each round, each with the spendings of one round.
    static func families(_ place: Workplace) throws -> (Replica, Workload) {
        let count = Workplace.recordsPerRound
        var work = Workload(people: HotPath.roundsMax, spendings: HotPath.roundsMax * count, seed: 12)
        for index in work.spendings.indices { work.spendings[index].person = work.people[index / count].id }
        let replica = try place.makeReplica("replica", with: work.people)
        let children = work.spendings.map { $0.state(at: Workplace.stamp(0)) }
        _ = try replica.apply(children, checkpoint: [2], serverTime: nil)
        return (replica, work)
    }
}

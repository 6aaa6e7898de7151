import BenchmarkData
import Replica

/// Paths of a program's own writes.
extension HotPath {
    /// The number of transactions of one record in a round.
    private static let writesPerRound = 100

    static let local = [
        HotPath(
            name: "insert", help: "Spendings inserted by plain SQL, 1,000 in one transaction, with the triggers.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let work = Workplace.work()
            try place.makeReplica("replica", with: work.people).close()
            let raw = try RawDatabase(place.path("replica"), .normal)
            let insert = try raw.prepareInsert()
            return { round in
                try raw.transaction { for spending in Workplace.spendings(work, round) { try insert.run(spending) } }
            }
        },
        HotPath(
            name: "write", help: "Spendings written by the library, 1,000 in one transaction.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let work = Workplace.work()
            let replica = try place.makeReplica("replica", with: work.people)
            return { round in try LocalWork.write(Workplace.spendings(work, round), to: replica) }
        },
        HotPath(
            name: "write-one",
            help: "Spendings written by the library, each in a transaction of its own, while 2,000 changes wait.",
            unit: "record", unitsPerRound: writesPerRound
        ) { place in
            let work = Workplace.work()
            let (waiting, spendings) = (work.spendings.prefix(2000), work.spendings.dropFirst(2000))
            let replica = try place.makeReplica("replica", with: work.people)
            try LocalWork.write(waiting, to: replica)
            return { round in
                for spending in spendings.dropFirst(round * writesPerRound).prefix(writesPerRound) {
                    try LocalWork.write([spending], to: replica)
                }
            }
        },
        HotPath(
            name: "seal", help: "1,000 inserted spendings settled and sealed into a push.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let replicas = try LocalWork.written(place)
            return { round in _ = try LocalWork.seal(replicas[round]) }
        },
        HotPath(
            name: "seal-edits", help: "1,000 edits of spendings that others know, sealed into a push.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let replicas = try LocalWork.edited(place)
            return { round in _ = try LocalWork.seal(replicas[round]) }
        },
        HotPath(
            name: "acknowledge", help: "The reply to a push of 1,000 spendings taken in.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let replicas = try LocalWork.written(place)
            let pushes = try replicas.map(LocalWork.seal)
            return { round in try LocalWork.acknowledge(pushes[round], replicas[round]) }
        },
        HotPath(
            name: "acknowledge-edits",
            help: "The reply to a push of 1,000 such edits taken in, by the process that sealed it.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let replicas = try LocalWork.edited(place)
            let pushes = try replicas.map(LocalWork.seal)
            return { round in try LocalWork.acknowledge(pushes[round], replicas[round]) }
        },
        HotPath(
            name: "delete-parent", help: "A person with 1,000 spendings deleted by plain SQL, and that settled.",
            unit: "child", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let (replica, work) = try LocalWork.families(place)
            let raw = try RawDatabase(place.path("replica"), .normal)
            let delete = try raw.prepare("DELETE FROM person WHERE id = ?1")
            return { round in
                delete.bind(1, work.people[round].id)
                try delete.run()
                try replica.settle()
            }
        },
        HotPath(
            name: "undelete-parent", help: "A deleted person with 1,000 spendings brought back.",
            unit: "child", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let (replica, work) = try LocalWork.families(place)
            try replica.write("delete") { transaction in
                for person in work.people { try transaction.delete("Person", id: person.id) }
            }
            return { round in
                try replica.write("undelete") { try $0.undelete("Person", id: work.people[round].id) }
            }
        },
    ]
}

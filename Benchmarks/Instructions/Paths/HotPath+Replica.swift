import BenchmarkData
import Replica
import RoostModel

/// Paths that apply the changes of other devices.
extension HotPath {
    static let replica = [
        HotPath(
            name: "apply", help: "Pages of 1,000 new spendings taken in.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let work = Workplace.work()
            let replica = try place.makeReplica("replica", with: work.people)
            let pages = (0..<HotPath.roundsMax).map { round in
                Workplace.spendings(work, round).map { $0.state(at: Workplace.stamp(1)) }
            }
            return { round in
                _ = try replica.apply(pages[round], checkpoint: [UInt8(round)], serverTime: nil, isLast: false)
            }
        },
        HotPath(
            name: "apply-edits", help: "Pages of 1,000 edited spendings taken in.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let work = Workplace.work()
            let replica = try place.makeReplica("replica", with: work.people)
            let known = work.spendings.map { $0.state(at: Workplace.stamp(1)) }
            _ = try replica.apply(known, checkpoint: [1], serverTime: nil)
            let pages = (0..<HotPath.roundsMax).map { round in
                Workplace.spendings(work, round).map { spending in
                    var edited = spending
                    edited.amount += 1
                    return edited.state(at: Workplace.stamp(2))
                }
            }
            return { round in
                _ = try replica.apply(pages[round], checkpoint: [UInt8(round)], serverTime: nil, isLast: false)
            }
        },
        HotPath(
            name: "apply-delete", help: "The delete of a person with 1,000 spendings, as another device sends it.",
            unit: "child", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let (replica, work) = try LocalWork.families(place)
            return { round in
                var state = work.people[round].state(at: Workplace.stamp(0))
                state.delete = Workplace.stamp(3)
                _ = try replica.apply([state], checkpoint: [UInt8(round)], serverTime: nil)
            }
        },
    ]
}

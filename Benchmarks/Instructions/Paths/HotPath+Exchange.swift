import BenchmarkData
import Foundation
import Replica
import RoostModel

/// Paths of one small change from end to end, with the costs per transaction rather than per record.
extension HotPath {
    private static let changesPerRound = 20

    static let exchange = [
        HotPath(
            name: "exchange",
            help:
                "One spending written, sealed, pushed, acknowledged, pulled by another device and taken in; 20 times.",
            unit: "change", unitsPerRound: changesPerRound
        ) { place in
            let server = try await ServedScope.make(place) { UInt64(Date().timeIntervalSince1970 * 1000) }
            var work = Workplace.work()
            for index in work.spendings.indices { work.spendings[index].person = work.people[0].id }
            let spendings = work.spendings
            let author = try DrivenReplica(try place.makeReplica("author"), server, server.owner)
            let reader = try DrivenReplica(try place.makeReplica("reader"), server, try await server.join())
            try author.replica.write("person") { transaction in
                try transaction.put("Person", id: work.people[0].id, ["name": .string("Person")])
            }
            try await author.synchronise()
            try await reader.synchronise()
            return { round in
                for index in 0..<changesPerRound {
                    try LocalWork.write([spendings[round * changesPerRound + index]], to: author.replica)
                    try await author.synchronise()
                    try await reader.synchronise()
                }
            }
        }
    ]
}

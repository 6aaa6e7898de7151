internal import Foundation
internal import Replica
internal import RoostModel

/// Writes pairs through the library, as an application would, and reports each one after its commit.
package enum PairWriter {
    /// Writes pairs.
    ///
    /// - Parameters:
    ///   - path: The replica file, which other processes write too.
    ///   - numbers: The numbers of the pairs.
    ///   - say: Called after each commit.
    package static func write(_ path: String, author: String, _ numbers: ClosedRange<Int>, say: (Int) -> Void) throws {
        let replica = try Replica(opening: path)
        for number in numbers {
            let id = TortureScope.recordID(author, number)
            let amount = Int64(number % 1000 + 1)
            try replica.write("pair \(number)") { transaction in
                let common: [String: Value] = ["author": .string(author), "number": .integer(Int64(number))]
                try transaction.put("Debit", id: id, common.merging(["amount": .integer(amount)]) { $1 })
                try transaction.put("Credit", id: id, common.merging(["amount": .integer(-amount)]) { $1 })
            }
            say(number)
        }
        try replica.close()
    }
}

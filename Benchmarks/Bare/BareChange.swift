import BenchmarkData
import Foundation
import Replica
import RoostModel
import ShapedLink

/// The row "change" without anything specific to Roost. SQLite reads and writes the rows of such a change on the three sides,
/// in B-trees of equal shape and files of equal page sizes. Bodies are compressed, each side hashes each record, and four
/// messages go over one connection of this machine, as in any program that sends changes. It is a lower bound: nothing is
/// tracked, encoded, merged or requested twice.
struct BareChange {
    /// The times of the rounds, in milliseconds.
    struct Times {
        /// The time of SQLite alone, on the three sides.
        var sqlite: Samples
        /// The time of the complete round.
        var whole: Samples
    }

    let context: Context
    let durability: Durability

    func times(_ work: Workload) throws -> Times {
        let paths = try ["editor", "reader", "store"].map { try context.freshPath($0) }
        defer { for path in paths { context.remove(path) } }
        let editor = try BareDevice(paths[0], durability)
        let reader = try BareDevice(paths[1], durability)
        for device in [editor, reader] { try device.take(work.spendings[...], RecordID(high: 1, low: 1)) }
        let server = try BareServer.start(paths[2], durability, work)
        // A connection that stands for another program. Its commit makes the editor read its pages again.
        let other = try RawDatabase(paths[0], durability)
        let update = try other.prepareEdit()
        var sqlite: [Double] = []
        var whole: [Double] = []
        for round in 0..<context.changeRounds {
            let edited = work.spendings.scattered(100, round: round)
            let records = edited.map { $0.id.bytes + $0.encoded }
            let stamp = RecordID(high: UInt64(round) + 2, low: 1)
            try other.edit(edited, with: update)
            var inSQLite = 0.0
            whole.append(
                try Stopwatch.seconds {
                    let body = Array(records.joined())
                    inSQLite += try Stopwatch.seconds { try editor.seal(edited, as: body) }
                    inSQLite += try server.push(body, round)
                    BareServer.hash(records)
                    inSQLite += try Stopwatch.seconds { try editor.confirm(edited, stamp) }
                    let page = try server.pull()
                    BareServer.hash(records)
                    guard page == body else { throw BenchmarkError("The bare server gives out something else.") }
                    inSQLite += try Stopwatch.seconds { try reader.take(edited[...], stamp) }
                } * 1000)
            sqlite.append(inSQLite * 1000)
        }
        return Times(sqlite: Samples(sqlite), whole: Samples(whole))
    }
}

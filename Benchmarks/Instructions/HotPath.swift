/// Work that is done for every record or every exchange. Its cost is monitored.
struct HotPath: Sendable {
    /// One round of the work.
    typealias Round = (_ index: Int) async throws -> Void

    var name: String
    var help: String
    /// The name of the units that a round processes.
    var unit: String
    var unitsPerRound: Int
    /// Prepares the data of ``roundsMax`` rounds. Its cost does not depend on the number of rounds that are played.
    var prepare: @Sendable (Workplace) async throws -> Round

    /// The number of rounds that are prepared.
    static let roundsMax = 3

    static let all: [HotPath] = local + objects + wire + server + replica + exchange
}

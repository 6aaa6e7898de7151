/// Work that is done for every record or every exchange, so that its cost is watched.
struct HotPath: Sendable {
    /// Does one round of the work.
    typealias Round = (_ index: Int) async throws -> Void

    var name: String
    var help: String
    /// What one round does how many of.
    var unit: String
    var unitsPerRound: Int
    /// Makes all that ``roundsMax`` rounds need: it costs the same however many of them are played.
    var prepare: @Sendable (Workplace) async throws -> Round

    /// Rounds that are prepared for.
    static let roundsMax = 3

    static let all: [HotPath] = local + objects + wire + server + replica + exchange
}

/// The work and the findings of one part of the torture.
package struct PartReport: Sendable {
    /// A minimum count without which the part proves nothing.
    package struct Floor: Sendable {
        package var name: String
        package var reached: Int
        package var least: Int
    }

    /// The outcomes of the written changes.
    package struct Traffic: Sendable {
        package var written = 0
        package var acknowledged = 0
        package var beaten = 0
        package var hidden = 0
        package var refused = 0
    }

    package var part: Part
    package var seed: UInt64
    package var seconds = 0.0
    /// The number of injections of each fault.
    package var faults: [String: Int] = [:]
    package var traffic = Traffic()
    /// The time from the end of the faults until every replica equalled the server; the longest of the part.
    package var secondsToConverge: Double?
    package var floors: [Floor] = []
    /// Further figures, in the order of their recording.
    package var figures: [(name: String, value: String)] = []
    /// The broken promises; empty for a part that passed.
    package var failures: [String] = []
    /// The omitted checks, with their reasons.
    package var omissions: [String] = []

    package var isPassed: Bool { failures.isEmpty && floors.allSatisfy { $0.reached >= $0.least } }
}

/// What one part of the torture did and found.
package struct PartReport: Sendable {
    /// Something that must be reached for the part to prove anything.
    package struct Floor: Sendable {
        package var name: String
        package var reached: Int
        package var least: Int
    }

    /// What became of the changes that were written.
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
    /// How often each fault was injected.
    package var faults: [String: Int] = [:]
    package var traffic = Traffic()
    /// From the end of the faults until every replica was equal to the server; the longest of the part.
    package var secondsToConverge: Double?
    package var floors: [Floor] = []
    /// Further figures, in the order in which they were found.
    package var figures: [(name: String, value: String)] = []
    /// What broke a promise; none in a part that passed.
    package var failures: [String] = []
    /// What was left out, and why.
    package var omissions: [String] = []

    package var isPassed: Bool { failures.isEmpty && floors.allSatisfy { $0.reached >= $0.least } }
}

internal import RoostModel

/// A simulated user's write to one record, with the facts that the checkers need.
package struct LocalWrite: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// A put with a text that is unique to this write.
        case put(marker: String)
        case delete
        /// An undelete; the content is that of an earlier write.
        case undelete
    }

    var number: Int
    var device: Int
    var key: RecordKey
    var kind: Kind
    /// The greatest clock reading that was visible to the writer.
    var seen: UInt64
    /// Whether its commit returned; `false` if a crash interrupted it.
    var isCertain: Bool
    /// The values that its put must have for the attributes of later schema versions; `nil` if they are unknown.
    var notes: [PropertyID: String]?
}

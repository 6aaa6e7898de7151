internal import RoostModel

/// What a simulated user did to one record, as far as the checkers must know.
package struct LocalWrite: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The text that only this write has.
        case put(marker: String)
        case delete
        /// Takes back a delete; the content is that of an earlier write.
        case undelete
    }

    var number: Int
    var device: Int
    var key: RecordKey
    var kind: Kind
    /// The greatest clock reading that could be seen where it was written.
    var seen: UInt64
    /// When its commit returned; `false` if a crash came between.
    var isCertain: Bool
    /// What its put must say of the attributes of later schema versions; `nil` where that is not known.
    var notes: [PropertyID: String]?
}

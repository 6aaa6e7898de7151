package import RoostModel

/// The slots of one record as the delete rules need them: stamps, and what the put refers to.
package struct RecordFacts: Hashable, Sendable {
    package var put: HybridTimestamp?
    package var references: [Put.Reference]
    package var delete: HybridTimestamp?

    package init(put: HybridTimestamp? = nil, references: [Put.Reference] = [], delete: HybridTimestamp? = nil) {
        self.put = put
        self.references = references
        self.delete = delete
    }

    /// Reads the facts off a record's slots.
    package init(_ state: RecordState) throws(ContentError) {
        self.init(put: state.put?.stamp, delete: state.delete)
        if let put = state.put { references = try Put(encoded: put.encoded).references }
    }

    package var own: OwnState { OwnState(put: put, delete: delete) }
}

/// What a record is once the delete rules have been applied.
package enum Liveness: Hashable, Sendable {
    /// Its own newest change is a put, and nothing hides it.
    case visible
    /// Deleted, but shown while these records refer to it with a deny rule.
    case kept(by: [RecordKey])
    /// Deleted by its own delete.
    case deleted
    /// Hidden because of another record that it hangs off: the nearest one that is deleted or absent.
    case hidden(because: RecordKey)
    /// No put is known.
    case absent

    package var isVisible: Bool {
        switch self {
        case .visible, .kept: true
        case .deleted, .hidden, .absent: false
        }
    }
}

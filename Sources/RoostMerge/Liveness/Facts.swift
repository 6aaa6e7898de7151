package import RoostModel

/// The slots of one record as the delete rules need them: the stamps, and the references of the put.
package struct RecordFacts: Hashable, Sendable {
    package var put: HybridTimestamp?
    package var references: [Put.Reference]
    package var delete: HybridTimestamp?

    package init(put: HybridTimestamp? = nil, references: [Put.Reference] = [], delete: HybridTimestamp? = nil) {
        self.put = put
        self.references = references
        self.delete = delete
    }

    /// Reads the facts from a record's slots.
    package init(_ state: RecordState) throws(ContentError) {
        self.init(put: state.put?.stamp, delete: state.delete)
        if let put = state.put { references = try Put(encoded: put.encoded).references }
    }

    package var own: OwnState { OwnState(put: put, delete: delete) }
}

/// The state of a record after the delete rules have been applied.
package enum Liveness: Hashable, Sendable {
    /// Its own newest change is a put, and nothing hides it.
    case visible
    /// Deleted, but shown while these records refer to it with a deny rule.
    case kept(by: [RecordKey])
    /// Deleted by its own delete.
    case deleted
    /// Hidden because of a record that it is a cascade descendant of: the nearest one that is deleted or absent.
    case hidden(because: RecordKey)
    /// No put exists.
    case absent

    package var isVisible: Bool {
        switch self {
        case .visible, .kept: true
        case .deleted, .hidden, .absent: false
        }
    }
}

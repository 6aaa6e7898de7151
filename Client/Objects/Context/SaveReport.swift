/// The outcome of a save.
public struct SaveReport: Hashable, Sendable {
    /// A record with unsaved changes that was also changed elsewhere.
    public struct Conflict: Hashable, Sendable {
        /// The decision of a conflict.
        public enum Outcome: Hashable, Sendable {
            /// The given properties were changed on both sides. The values of this context were written.
            case keptMine([String])
            /// The given properties were changed on both sides. The values of the store stayed.
            case tookTheirs([String])
            /// The record was deleted elsewhere, and came back with the edits of this context.
            case broughtBack
            /// The record is hidden elsewhere because of another record. The edits were written, and come back with it.
            case staysHidden
            /// The record was deleted elsewhere, and the edits of this context were discarded.
            case gaveUpEdits
            /// The record was edited elsewhere and deleted in this context. It is deleted.
            case deletedTheirs
            /// The record was edited elsewhere and deleted in this context. It stays.
            case gaveUpDelete
            /// The record was deleted in this context, but the given records name it with a deny rule; they are hidden, or were
            /// written in the meantime. The delete is written, and the record stays visible until the last of them goes.
            case kept(by: [ObjectID])
        }

        /// The record that both sides had changed.
        public let objectID: ObjectID
        /// The decision, which depends on ``ObjectContext/mergePolicy``.
        public let outcome: Outcome

        /// Makes a conflict, to compare a report with.
        public init(objectID: ObjectID, outcome: Outcome) {
            self.objectID = objectID
            self.outcome = outcome
        }
    }

    /// Objects that are new to the store, in no order.
    public internal(set) var inserted: Set<ObjectID> = []
    /// Objects whose edits were written, in no order.
    public internal(set) var updated: Set<ObjectID> = []
    /// Objects that were deleted themselves, in no order; objects that their deletes hide are not listed.
    public internal(set) var deleted: Set<ObjectID> = []
    /// Records that were also changed elsewhere, in the order of the objects' changes.
    public internal(set) var conflicts: [Conflict] = []

    /// Whether nothing had to be written.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

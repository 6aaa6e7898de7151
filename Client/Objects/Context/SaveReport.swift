/// What a save did.
public struct SaveReport: Hashable, Sendable {
    /// A record that somebody else had changed too.
    public struct Conflict: Hashable, Sendable {
        /// What was decided.
        public enum Outcome: Hashable, Sendable {
            /// These properties were changed on both sides, and mine were written.
            case keptMine([String])
            /// These properties were changed on both sides, and theirs stayed.
            case tookTheirs([String])
            /// It was deleted elsewhere, and is back with my edits.
            case broughtBack
            /// It is hidden elsewhere, because of another record: my edits are written and come back with it.
            case staysHidden
            /// It was deleted elsewhere, and my edits were given up.
            case gaveUpEdits
            /// It was edited elsewhere and I deleted it: it is deleted.
            case deletedTheirs
            /// It was edited elsewhere and I deleted it: it stays.
            case gaveUpDelete
            /// I deleted it, and these records, hidden themselves or written meanwhile, name it with a deny rule: the delete is written, and the
            /// record visible until the last of them goes.
            case kept(by: [ObjectID])
        }

        /// The record that both sides had changed.
        public let objectID: ObjectID
        /// What was decided; ``ObjectContext/mergePolicy`` has its say in it.
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
    /// Objects that were deleted themselves, in no order; what is hidden because of them is not named.
    public internal(set) var deleted: Set<ObjectID> = []
    /// Records that somebody else had changed too, in the order of the objects' changes.
    public internal(set) var conflicts: [Conflict] = []

    /// Whether nothing had to be written.
    public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }
}

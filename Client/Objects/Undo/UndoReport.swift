/// What an undo or redo did.
public struct UndoReport: Hashable, Sendable {
    /// Something that was not put back, because it is no longer as the undone changes left it.
    public struct LeftAlone: Hashable, Sendable {
        /// Why it was not put back.
        public enum Reason: Hashable, Sendable {
            /// These properties hold other values now.
            case changedSince([String])
            /// The object was deleted or hidden since.
            case goneSince
            /// The object is there again, or with other values than it was made with.
            case thereSince
        }

        /// The object that stays as it is, wholly or in the properties that the reason names.
        public let objectID: ObjectID
        /// Why it was not put back.
        public let reason: Reason

        /// Makes an entry, to compare a report with.
        public init(objectID: ObjectID, reason: Reason) {
            self.objectID = objectID
            self.reason = reason
        }
    }

    /// The name of the group.
    public let name: String
    /// Objects that were changed, made or deleted by it.
    public internal(set) var changed: Set<ObjectID> = []
    /// In the order in which it was met.
    public internal(set) var leftAlone: [LeftAlone] = []
}

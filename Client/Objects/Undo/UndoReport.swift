/// The outcome of an undo or redo.
public struct UndoReport: Hashable, Sendable {
    /// An object that was not restored, because it no longer has the content that the undone changes left.
    public struct LeftAlone: Hashable, Sendable {
        /// The reason why an object was not restored.
        public enum Reason: Hashable, Sendable {
            /// The given properties have other values now.
            case changedSince([String])
            /// The object was deleted or hidden since then.
            case goneSince
            /// The object exists again, or has other values than it was made with.
            case thereSince
        }

        /// The object that is unchanged, wholly or in the properties that the reason names.
        public let objectID: ObjectID
        /// The reason why the object was not restored.
        public let reason: Reason

        /// Makes an entry, to compare a report with.
        public init(objectID: ObjectID, reason: Reason) {
            self.objectID = objectID
            self.reason = reason
        }
    }

    /// The name of the group.
    public let name: String
    /// Objects that the undo or redo changed, made or deleted.
    public internal(set) var changed: Set<ObjectID> = []
    /// Objects that were not restored, in the order in which they were found.
    public internal(set) var leftAlone: [LeftAlone] = []
}

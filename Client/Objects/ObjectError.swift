public import Replica

/// A failure of an operation on objects.
public struct ObjectError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// An entity, property or object that does not exist.
        public static let unknown = Code(description: "unknown")
        /// A value that does not fit its property.
        public static let invalidValue = Code(description: "invalidValue")
        /// A link between objects of two contexts, or of two stores.
        public static let foreignObject = Code(description: "foreignObject")
        /// A change of an object whose context has ended.
        public static let contextEnded = Code(description: "contextEnded")
        /// A delete that a delete rule denies.
        public static let denied = Code(description: "denied")
        /// A request that cannot be carried out, such as one with an invalid predicate, sort descriptor or aggregate.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// Objects that do not fit the schema. ``ObjectError/problems`` lists them where there are several.
        public static let validation = Code(description: "validation")
        /// A record with unsaved edits that was changed elsewhere, while the context's policy is ``MergePolicy/ask``. Also a
        /// document's file that another program changed.
        public static let conflict = Code(description: "conflict")
        /// A store with another schema than that of the program's classes, or with a version of it that lacks something of theirs.
        public static let schemaMismatch = Code(description: "schemaMismatch")
        /// A store that could not be read or written.
        public static let store = Code(description: "store")
    }

    /// The kind of failure; programs branch on it, never on ``message``.
    public var code: Code
    /// The text of the failure: the operation, its subject, the reason and the remedy.
    public var message: String
    /// The causes of the failure, in the order of their objects; empty where there is a single cause, which ``message`` states.
    public var problems: [String]
    /// The store's own error, for the codes `store` and `denied`; a program may retry where the file was busy. `nil` where the
    /// failure did not come from the store.
    public var cause: ReplicaError?

    /// Makes an error, such as one that ``ManagedObject/validate()`` of a subclass throws.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: The operation, its subject, the reason and the remedy.
    ///   - problems: The causes, where there are several.
    ///   - cause: The store's own error, where the store refused.
    public init(_ code: Code, _ message: String, problems: [String] = [], cause: ReplicaError? = nil) {
        self.code = code
        self.message = message
        self.problems = problems
        self.cause = cause
    }

    public var description: String { ([message] + problems).joined(separator: "\n") }
}

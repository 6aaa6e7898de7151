public import Replica

/// Why something could not be done with objects.
public struct ObjectError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// There is no such entity, property or object.
        public static let unknown = Code(description: "unknown")
        /// A value does not fit its property.
        public static let invalidValue = Code(description: "invalidValue")
        /// Objects of two contexts, or of two stores, were to be linked.
        public static let foreignObject = Code(description: "foreignObject")
        /// A delete rule refuses a delete.
        public static let denied = Code(description: "denied")
        /// A predicate, sort descriptor or aggregate cannot be carried out.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// Objects do not fit the schema; ``ObjectError/problems`` says which.
        public static let validation = Code(description: "validation")
        /// Somebody else changed an object that has unsaved edits, and the context asks.
        public static let conflict = Code(description: "conflict")
        /// The store could not be read or written.
        public static let store = Code(description: "store")
    }

    /// The kind of failure; programs branch on it, never on ``message``.
    public var code: Code
    /// What could not be done, on what, why, and what to do next.
    public var message: String
    /// Each of several causes, in the order of their objects; empty where there is one, which ``message`` says.
    public var problems: [String]
    /// What the store said, for the codes `store` and `denied`: a program may try again where the file was busy. `nil` where it was not
    /// the store that refused.
    public var cause: ReplicaError?

    /// Makes an error, such as one that ``ManagedObject/validate()`` of a subclass throws.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: What could not be done, on what, why, and what to do next.
    ///   - problems: Each of several causes; none where there is one.
    ///   - cause: What the store said, if it was the store.
    public init(_ code: Code, _ message: String, problems: [String] = [], cause: ReplicaError? = nil) {
        self.code = code
        self.message = message
        self.problems = problems
        self.cause = cause
    }

    public var description: String { ([message] + problems).joined(separator: "\n") }
}

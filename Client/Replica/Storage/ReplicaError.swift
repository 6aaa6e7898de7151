/// A failure of an operation on a replica file.
public struct ReplicaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// There is no file at the path.
        public static let notFound = Code(description: "notFound")
        /// A file already exists where a new one should go.
        public static let exists = Code(description: "exists")
        /// The file is not a replica.
        public static let notAReplica = Code(description: "notAReplica")
        /// The file was written by a newer Roost.
        public static let newerFormat = Code(description: "newerFormat")
        /// The file is corrupt.
        public static let corrupt = Code(description: "corrupt")
        /// The disk is full, or refuses to write.
        public static let diskFull = Code(description: "diskFull")
        /// Another program has locked the file for too long.
        public static let busy = Code(description: "busy")
        /// A delete was refused because a visible record refers to the record with a deny rule. Or a write was refused because a
        /// trigger of another program ignored it.
        public static let denied = Code(description: "denied")
        /// There is no such entity, attribute, record or journal row.
        public static let unknown = Code(description: "unknown")
        /// A value does not fit its attribute.
        public static let invalidValue = Code(description: "invalidValue")
        /// A record is too large for servers and other devices, or has too many properties.
        public static let tooLarge = Code(description: "tooLarge")
        /// Another program has migrated the replica since it was opened.
        public static let schemaChanged = Code(description: "schemaChanged")
        /// The scope requires a later version of its schema than that of the replica's tables.
        public static let schemaTooOld = Code(description: "schemaTooOld")
        /// A schema is not a valid later version of the one that the records follow.
        public static let cannotMigrate = Code(description: "cannotMigrate")
        /// SQLite refused the operation for another reason.
        public static let sqlite = Code(description: "sqlite")
    }

    /// The kind of failure; programs branch on it, never on ``message``.
    public var code: Code
    /// A message that says what could not be done, on what, why, and what to do next.
    public var message: String

    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: The kind of failure.
    ///   - message: A message that says what could not be done, on what, why, and what to do next.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}

/// The stable number of an entity in its schema; a rename keeps it.
public struct EntityID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number in the schema file.
    public let rawValue: UInt32

    /// Makes an identifier. It need not exist in any schema.
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue) }
    public static func < (left: EntityID, right: EntityID) -> Bool { left.rawValue < right.rawValue }
}

/// The stable number of an attribute or a relationship in its entity; a rename keeps it.
public struct PropertyID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number in the schema file.
    public let rawValue: UInt32

    /// Makes an identifier. It need not exist in any schema.
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue) }
    public static func < (left: PropertyID, right: PropertyID) -> Bool { left.rawValue < right.rawValue }
}

/// The identity of one record within a scope.
public struct RecordKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The record's entity.
    public let entity: EntityID
    /// The record's identifier within its entity.
    public let id: RecordID

    /// Makes a key. The record need not exist.
    public init(entity: EntityID, id: RecordID) {
        self.entity = entity
        self.id = id
    }

    public var description: String { "\(entity)/\(id)" }

    public static func < (left: RecordKey, right: RecordKey) -> Bool {
        left.entity == right.entity ? left.id < right.id : left.entity < right.entity
    }
}

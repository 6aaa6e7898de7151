/// The stable number of an entity in its schema; a rename keeps it.
public struct EntityID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number as the schema file has it.
    public let rawValue: UInt32

    /// Names what has this number; whether there is such a one is not looked up.
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue) }
    public static func < (left: EntityID, right: EntityID) -> Bool { left.rawValue < right.rawValue }
}

/// The stable number of an attribute or a relationship in its entity; a rename keeps it.
public struct PropertyID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number as the schema file has it.
    public let rawValue: UInt32

    /// Names what has this number; whether there is such a one is not looked up.
    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue) }
    public static func < (left: PropertyID, right: PropertyID) -> Bool { left.rawValue < right.rawValue }
}

/// What names one record within a scope.
public struct RecordKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The record's entity.
    public let entity: EntityID
    /// The record's identifier within its entity.
    public let id: RecordID

    /// Makes a key; whether there is such a record is not looked up.
    public init(entity: EntityID, id: RecordID) {
        self.entity = entity
        self.id = id
    }

    public var description: String { "\(entity)/\(id)" }

    public static func < (left: RecordKey, right: RecordKey) -> Bool {
        left.entity == right.entity ? left.id < right.id : left.entity < right.entity
    }
}

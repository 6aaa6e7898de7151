/// The stable number of an entity in its schema; a rename keeps it.
public struct EntityID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue) }
    public static func < (left: EntityID, right: EntityID) -> Bool { left.rawValue < right.rawValue }
}

/// The stable number of an attribute or a relationship in its entity; a rename keeps it.
public struct PropertyID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    public var description: String { String(rawValue) }
    public static func < (left: PropertyID, right: PropertyID) -> Bool { left.rawValue < right.rawValue }
}

/// What names one record within a scope.
public struct RecordKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let entity: EntityID
    public let id: RecordID

    public init(entity: EntityID, id: RecordID) {
        self.entity = entity
        self.id = id
    }

    public var description: String { "\(entity)/\(id)" }

    public static func < (left: RecordKey, right: RecordKey) -> Bool {
        left.entity == right.entity ? left.id < right.id : left.entity < right.entity
    }
}

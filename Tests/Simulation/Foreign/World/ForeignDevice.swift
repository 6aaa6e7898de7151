internal import RoostModel

/// The state of the foreign programs in the file of one device.
struct ForeignDevice: Sendable {
    /// The kind of user triggers that a table has. A table has one kind only: a raising trigger would by itself make a
    /// derived table wrong.
    enum Style: Hashable, Sendable, CaseIterable {
        case raising, derived, touching
    }

    /// The kinds to draw from.
    let kinds: [ForeignKind]
    let styles: [EntityID: Style]
    var own = UsersOwn()
    /// A counter for the names of the user's own objects.
    var names = 0
    /// Whether the tables differ from Roost's layout, until a session has checked them.
    var isLayoutBroken = false
    /// Whether a crash may have rolled back some of the user's own objects. The current ones are then read from the file.
    var isOwnUncertain = false
    /// Whether there was a write that only a comparison of rows with facts finds.
    var hasUntracked = false

    init(_ kinds: [ForeignKind], _ tables: [ForeignTable], seed: UInt64) {
        self.kinds = kinds
        var random = ForeignRandom(seed)
        var possible: [Style] = []
        if kinds.contains(.triggers) || kinds.contains(.temporary) { possible.append(.raising) }
        if kinds.contains(.derived) || kinds.contains(.fulltext) { possible.append(.derived) }
        if kinds.contains(.touching) { possible.append(.touching) }
        var styles: [EntityID: Style] = [:]
        for table in tables where !possible.isEmpty { styles[table.entity] = random.pick(possible) }
        self.styles = styles
    }

    mutating func name(_ prefix: String) -> String {
        names += 1
        return "user_\(prefix)_\(names)"
    }
}

/// The user's own objects in one file, which must survive all of Roost's operations.
struct UsersOwn: Sendable {
    /// The type of each object, by name.
    var objects: [String: String] = [:]
    /// The user's own columns of synchronised tables.
    var columns: [EntityID: [String]] = [:]
    /// The values of the user's own columns as last read, by record.
    var values: [RecordKey: [String: ForeignValue]] = [:]
    /// The user's own tables that mirror a synchronised table by triggers.
    var mirrors: [EntityID: String] = [:]
    /// Full-text indexes over a synchronised table.
    var fulltext: [EntityID: String] = [:]
    /// Whether a trigger of the user's deletes rows that no statement names.
    var hasReapers: Bool { objects.keys.contains { $0.hasPrefix("user_reap") } }
    /// Rows of the user's own tables, by table.
    var rows: [String: Int] = [:]
}

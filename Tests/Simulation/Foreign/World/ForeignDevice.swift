internal import RoostModel

/// What other programs have made in the file of one device.
struct ForeignDevice: Sendable {
    /// What triggers of the user a table has. A raising trigger would make a derived table of the same table wrong by itself.
    enum Style: Hashable, Sendable, CaseIterable {
        case raising, derived, touching
    }

    /// The kinds that are drawn from.
    let kinds: [ForeignKind]
    let styles: [EntityID: Style]
    var own = UsersOwn()
    /// Numbers the names of the user's own things.
    var names = 0
    /// Whether the tables differ from what Roost expects, until a session has looked at them.
    var isLayoutBroken = false
    /// Whether a crash took something back that the user had made: what there is now is read from the file.
    var isOwnUncertain = false
    /// Whether a write was made that only a comparison finds.
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

/// The user's own things in one file, which must survive whatever Roost does.
struct UsersOwn: Sendable {
    /// Name and type of each object.
    var objects: [String: String] = [:]
    /// The user's own columns of synchronised tables.
    var columns: [EntityID: [String]] = [:]
    /// What those columns were last seen to hold, by record.
    var values: [RecordKey: [String: ForeignValue]] = [:]
    /// Own tables that mirror a synchronised table by triggers.
    var mirrors: [EntityID: String] = [:]
    /// Full-text indexes over a synchronised table.
    var fulltext: [EntityID: String] = [:]
    /// Whether a trigger of the user's deletes rows that no statement names.
    var hasReapers: Bool { objects.keys.contains { $0.hasPrefix("user_reap") } }
    /// Rows of the user's own tables, by table.
    var rows: [String: Int] = [:]
}

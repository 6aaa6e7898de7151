internal import GRDB
internal import RoostMerge
internal import RoostModel

/// The state of records, and the reasons for it, read from the tables.
struct Explanation {
    private let rows: RowStore
    private let source: ReplicaLivenessSource
    private let dropped: Set<RecordKey>
    private let kept: Set<RecordKey>

    init(_ database: Database, _ layout: Layout, replica: ReplicaID) throws {
        rows = try RowStore(database, layout)
        source = try ReplicaLivenessSource(
            rows: rows, stamps: try EffectiveStamps(readingMarks: database, replica: replica), own: [:], references: [:]
        )
        dropped = try RecordKeyTable.dropped.all(database)
        kept = try RecordKeyTable.kept.all(database)
    }

    func liveness(of key: RecordKey) throws -> Liveness {
        switch (try rows.place(of: key), try source.own(key)) {
        case (.visible, .deleted): .kept(by: try keepers(of: key))
        case (.visible, _): .visible
        case (.hidden, .deleted) where !kept.contains(key): .deleted
        case (.hidden, _): .hidden(because: try cause(of: key))
        case (.nowhere, _): .absent
        }
    }

    private func keepers(of key: RecordKey) throws -> [RecordKey] {
        var keepers: [RecordKey] = []
        for (rule, _, _) in rows.layout.incoming(key.entity) where rule.deleteRule == .deny {
            keepers += try source.referrers(key, by: rule, .ownPut).map(\.key)
        }
        return keepers.sorted()
    }

    /// Finds the nearest cascade ancestor, breadth first, that has no put of its own in effect. Returns the record itself where
    /// there is none.
    private func cause(of key: RecordKey) throws -> RecordKey {
        var seen: Set<RecordKey> = [key]
        var level = [key]
        while !level.isEmpty {
            let targets = try level.flatMap { try cascadeTargets($0) }.sorted()
            if let dead = try targets.first(where: { try source.own($0) != .put && !kept.contains($0) }) { return dead }
            level = try targets.filter { try !source.isVisible($0) && seen.insert($0).inserted }
        }
        return key
    }

    private func cascadeTargets(_ key: RecordKey) throws -> [RecordKey] {
        try rows.references(of: key).compactMap { reference in
            guard let rule = rows.layout.rules.rule(key.entity, reference.relationship), rule.deleteRule == .cascade,
                !(rule.isTree && dropped.contains(key))
            else { return nil }
            return RecordKey(entity: rule.destination, id: reference.target)
        }
    }
}

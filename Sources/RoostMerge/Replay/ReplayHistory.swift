package import RoostModel

/// A line of `roost replay`: changes of records of the entity `Node`, in arrival order.
///
/// `Node` has a reference for each delete rule: `a`, `b` cascade, `t` cascade and tree, `n` nullify, `d` deny, `o`
/// noAction. It is the schema of the specification's test vectors.
package struct ReplayHistory: Sendable {
    package static let entity = EntityID(1)
    /// The replica that is the author of every change of a history.
    package static let author = ReplicaID(rawValue: 1)

    package let changes: [Change]
    private let names: [RecordID: String]

    /// The schema `Node`, as a schema file.
    package static let schemaText = """
        {"format": 1, "name": "replay", "version": 1, "entities": [{"id": 1, "name": "Node", "relationships": [
          {"id": 1, "name": "a", "kind": "toOne", "destination": "Node", "inverse": "ofA"},
          {"id": 2, "name": "b", "kind": "toOne", "destination": "Node", "inverse": "ofB"},
          {"id": 3, "name": "t", "kind": "toOne", "destination": "Node", "inverse": "ofT", "tree": true},
          {"id": 4, "name": "n", "kind": "toOne", "destination": "Node", "inverse": "ofN"},
          {"id": 5, "name": "d", "kind": "toOne", "destination": "Node", "inverse": "ofD"},
          {"id": 6, "name": "o", "kind": "toOne", "destination": "Node", "inverse": "ofO"},
          {"id": 11, "name": "ofA", "kind": "toMany", "destination": "Node", "inverse": "a", "deleteRule": "cascade"},
          {"id": 12, "name": "ofB", "kind": "toMany", "destination": "Node", "inverse": "b", "deleteRule": "cascade"},
          {"id": 13, "name": "ofT", "kind": "toMany", "destination": "Node", "inverse": "t", "deleteRule": "cascade"},
          {"id": 14, "name": "ofN", "kind": "toMany", "destination": "Node", "inverse": "n", "deleteRule": "nullify"},
          {"id": 15, "name": "ofD", "kind": "toMany", "destination": "Node", "inverse": "d", "deleteRule": "deny"},
          {"id": 16, "name": "ofO", "kind": "toMany", "destination": "Node", "inverse": "o", "deleteRule": "noAction"}
        ]}]}
        """

    private static let relationships: [(name: String, id: PropertyID)] = [
        ("a", PropertyID(1)), ("b", PropertyID(2)), ("t", PropertyID(3)), ("n", PropertyID(4)), ("d", PropertyID(5)),
        ("o", PropertyID(6)),
    ]

    /// The reason why a line is not a history.
    package struct LineError: Error, Hashable, Sendable, CustomStringConvertible {
        package var description: String
    }

    /// Reads `{"changes":[{"record":"p","stamp":5,"put":{"a":"q"}},{"record":"p","stamp":6,"delete":true}]}`.
    package init(line: String) throws(LineError) {
        let value: JSONValue
        do {
            value = try JSONParser.parse(line)
        } catch {
            throw LineError(description: "The line is not JSON: \(error). Write {\"changes\": [ … ]}.")
        }
        try self.init(value)
    }

    package init(_ value: JSONValue) throws(LineError) {
        guard let items = value["changes"]?.arrayValue else {
            throw LineError(description: "The history has no \"changes\". Write {\"changes\": [ … ]}.")
        }
        var names: [RecordID: String] = [:]
        var changes: [Change] = []
        for (index, item) in items.enumerated() {
            changes.append(try Self.change(item, index, &names))
        }
        self.changes = changes
        self.names = names
    }

    private static func change(
        _ item: JSONValue, _ index: Int, _ names: inout [RecordID: String]
    ) throws(LineError) -> Change {
        func wrong(_ what: String) -> LineError { LineError(description: "Change \(index): \(what).") }
        guard let name = item["record"]?.stringValue else { throw wrong("\"record\" is missing; name the record") }
        guard let stamp = item["stamp"]?.integerValue, stamp >= 0, stamp < 1 << 47 else {
            throw wrong("\"stamp\" is \(item["stamp"]?.text ?? "missing"), expected a whole number from 0")
        }
        var kind = Change.Kind.delete
        if let put = item["put"] {
            guard let members = put.members, item["delete"] == nil else {
                throw wrong("a change is either \"put\": { … } or \"delete\": true")
            }
            var references: [Put.Reference] = []
            for member in members where member.value != .null {
                guard let relationship = relationships.first(where: { $0.name == member.name }) else {
                    throw wrong("\"\(member.name)\" is not a reference of Node (a, b, t, n, d, o)")
                }
                guard let target = member.value.stringValue else { throw wrong("\"\(member.name)\" names no record") }
                references.append(.init(relationship: relationship.id, target: identifier(target, &names)))
            }
            references.sort { $0.relationship < $1.relationship }
            kind = .put(Put(references: references).encoded(), base: nil)
        } else if item["delete"]?.booleanValue != true {
            throw wrong("a change is either \"put\": { … } or \"delete\": true")
        }
        return Change(
            key: RecordKey(entity: entity, id: identifier(name, &names)),
            stamp: HybridTimestamp(milliseconds: UInt64(stamp), counter: 0, replica: author), kind: kind)
    }

    /// Makes an identifier from a name. A short name is encoded in it, so that identifiers sort like names.
    private static func identifier(_ name: String, _ names: inout [RecordID: String]) -> RecordID {
        let bytes = Array(name.utf8)
        let id =
            bytes.count <= 16
            ? RecordID(bytes: bytes + [UInt8](repeating: 0, count: 16 - bytes.count))!
            : RecordID(derivedFrom: ["replay", name])
        names[id] = name
        return id
    }

    /// A visible record as an engine reads it back.
    package struct Visible: Hashable, Sendable {
        package var stamp: HybridTimestamp
        /// The stored references as programs read them, nil where they are masked.
        package var references: [PropertyID: RecordID?]

        package init(stamp: HybridTimestamp, references: [PropertyID: RecordID?]) {
            self.stamp = stamp
            self.references = references
        }
    }

    /// Writes the visible records as one line, records and references in order of name.
    ///
    /// - Parameter reasons: With `--explain`, the reason why each other record is hidden or kept.
    package func render(_ visible: [RecordID: Visible], reasons: [RecordID: Liveness]? = nil) -> String {
        let sorted = visible.map { (name(of: $0.key), $0.value) }.sorted { $0.0 < $1.0 }
        var members = sorted.map { name, record in
            let references = Self.relationships.compactMap { relationship -> JSONValue.Member? in
                guard let target = record.references[relationship.id] else { return nil }
                return .init(relationship.name, target.map { .string(self.name(of: $0)) } ?? .null)
            }.sorted { $0.name < $1.name }
            return JSONValue.Member(
                name,
                .members(("stamp", .integer(record.stamp.milliseconds)), ("refs", .object(references))))
        }
        if let reasons {
            let why = reasons.map { (name(of: $0.key), $0.value) }.sorted { $0.0 < $1.0 }
                .compactMap { name, liveness in explanation(liveness).map { JSONValue.Member(name, .string($0)) } }
            members = [.init("visible", .object(members)), .init("why", .object(why))]
        }
        return JSONValue.object(members).text
    }

    private func explanation(_ liveness: Liveness) -> String? {
        switch liveness {
        case .visible: nil
        case .kept(let keepers): "kept by \(keepers.map { name(of: $0.id) }.joined(separator: ", "))"
        case .deleted: "deleted"
        case .hidden(let cause): "hidden because of \(name(of: cause.id))"
        case .absent: "deleted; no put is known"
        }
    }

    private func name(of id: RecordID) -> String { names[id] ?? id.description }
}

extension ReplayHistory {
    /// Returns a history of other changes with the names of this one.
    package func with(changes: [Change]) -> ReplayHistory {
        ReplayHistory(changes: changes, names: names)
    }

    /// Makes a history whose records are named by their identifiers.
    package init(changes: [Change]) {
        self.init(changes: changes, names: [:])
    }

    private init(changes: [Change], names: [RecordID: String]) {
        self.changes = changes
        self.names = names
    }
}

extension VisibleState {
    /// Returns the visible records as `roost replay` shows them.
    package func visible(_ facts: [RecordKey: RecordFacts]) -> [RecordID: ReplayHistory.Visible] {
        var visible: [RecordID: ReplayHistory.Visible] = [:]
        for (key, fact) in facts where isVisible(key) {
            guard let stamp = fact.put else { continue }
            let read = references(of: key).map { ($0.relationship, $0.target) }
            visible[key.id] = .init(stamp: stamp, references: Dictionary(uniqueKeysWithValues: read))
        }
        return visible
    }

    /// Derives the visible records from changes in any order, and the state of each record with its reason.
    package static func derived(
        from changes: [Change], rules: ReferenceRules
    ) throws -> (visible: [RecordID: ReplayHistory.Visible], reasons: [RecordID: Liveness]) {
        var facts: [RecordKey: RecordFacts] = [:]
        for change in changes {
            var fact = facts[change.key] ?? RecordFacts()
            switch change.kind {
            case .put(let encoded, _):
                guard fact.put.map({ $0 < change.stamp }) ?? true else { continue }
                fact.put = change.stamp
                fact.references = try Put(encoded: encoded).references
            case .delete: fact.delete = max(fact.delete ?? change.stamp, change.stamp)
            }
            facts[change.key] = fact
        }
        let state = VisibleState(facts, rules: rules)
        return (state.visible(facts), Dictionary(uniqueKeysWithValues: state.liveness.map { ($0.key.id, $0.value) }))
    }
}

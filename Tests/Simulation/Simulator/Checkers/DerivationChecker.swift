internal import RoostMerge
internal import RoostModel

/// I5, I11 and the oracle: a replica shows the state that follows, computed from scratch, from its confirmed slots joined
/// with its outbox; and every confirmed slot is a change that the server accepted.
struct DerivationChecker {
    private let rules: ReferenceRules

    init(_ rules: ReferenceRules) {
        self.rules = rules
    }

    /// Checks a view.
    ///
    /// - Parameters:
    ///   - version: The version of the replica's schema.
    ///   - isForeign: Whether other programs write the file. If SQLite has evicted a row without a trigger, its delete is
    ///     found, and its content is not.
    ///   - journaled: Records with journal entries. If others deleted a record, its entry has the earlier untracked writes,
    ///     and the hidden row still holds them.
    ///   - content: Returns the stored content of a record with a pending local put.
    func check(
        _ view: ReplicaView, version: Int, _ ledger: Ledger, isForeign: Bool = false,
        journaled: Set<RecordKey> = [], content: (RecordKey) throws -> [UInt8]?
    ) throws {
        var facts: [RecordKey: RecordFacts] = [:]
        var puts: [RecordKey: [UInt8]] = [:]
        for key in Set(view.facts.keys).union(view.outbox.keys) {
            let slots = view.facts[key] ?? SlotStamps()
            let pending = view.outbox[key] ?? .init()
            try checkConfirmed(key, slots, ledger)
            func stamp(_ time: UInt64?) -> HybridTimestamp? {
                time.map { HybridTimestamp(time: $0, replica: view.replica) }
            }
            func later(_ left: HybridTimestamp?, _ right: HybridTimestamp?) -> HybridTimestamp? {
                guard let left, let right else { return left ?? right }
                return max(left, right)
            }
            var fact = RecordFacts(
                put: later(slots.put?.stamp, stamp(pending.put)), delete: later(slots.delete, stamp(pending.delete)))
            let encoded: [UInt8]?
            if let local = stamp(pending.put), slots.put.map({ $0.stamp <= local }) ?? true {
                encoded = try content(key)
            } else {
                encoded = slots.put.flatMap { ledger.content(key, $0) }
            }
            if let encoded {
                fact.references = try Put(encoded: encoded).references
                puts[key] = encoded
            } else if fact.put != nil {
                throw Violation(.derivation, "record \(key) has a put slot and no content")
            }
            facts[key] = fact
        }
        try compare(view, version, VisibleState(facts, rules: rules), puts, isForeign: isForeign, journaled)
    }

    private func checkConfirmed(_ key: RecordKey, _ slots: SlotStamps, _ ledger: Ledger) throws {
        if let put = slots.put, ledger.content(key, put) == nil {
            throw Violation(.derivation, "record \(key) has the confirmed put \(put.stamp), which no server accepted")
        }
        if let delete = slots.delete, !ledger.hasDelete(key, delete) {
            throw Violation(.derivation, "record \(key) has the confirmed delete \(delete), which no server accepted")
        }
    }

    private func compare(
        _ view: ReplicaView, _ version: Int, _ state: VisibleState, _ puts: [RecordKey: [UInt8]], isForeign: Bool,
        _ journaled: Set<RecordKey>
    ) throws {
        let entities = Set(SampleSchema.tables(version: version).map(\.entity))
        for (key, liveness) in state.liveness where entities.contains(key.entity) {
            let row = view.rows[key]
            guard (row?.isVisible ?? false) == liveness.isVisible else {
                throw Violation(
                    .derivation,
                    "record \(key) is \(liveness), and the replica \(row?.isVisible ?? false ? "shows" : "hides") it: confirmed "
                        + "\(ServerChecker.describe(view.facts[key] ?? SlotStamps())), waiting "
                        + "\(view.outbox[key].map { "\($0)" } ?? "nothing"), row \(row.map { "\($0)" } ?? "none")")
            }
            guard let encoded = puts[key] else { continue }
            if isForeign, liveness == .deleted, row == nil || journaled.contains(key) { continue }
            guard let row else { throw Violation(.derivation, "record \(key) is \(liveness), and has no row") }
            let expected = try Expected(encoded)
            try compare(key, row, expected, state, isVisible: liveness.isVisible)
            guard key.entity == SampleSchema.item else { continue }
            for (note, name) in SampleSchema.notes(version: version) {
                let said = expected.notes[note] ?? SampleSchema.noteDefault
                guard row.notes[note] != said else { continue }
                throw Violation(
                    .derivation,
                    "\(name) of \(key) reads \(row.notes[note].map { "\"\($0)\"" } ?? "nil"); its slot says \"\(said)\""
                )
            }
        }
        for (key, _) in view.rows where state.liveness[key] == nil {
            throw Violation(.derivation, "record \(key) has a row, and neither a confirmed slot nor a local change")
        }
    }

    private func compare(
        _ key: RecordKey, _ row: ReplicaView.Row, _ expected: Expected, _ state: VisibleState, isVisible: Bool
    ) throws {
        guard row.text == expected.text, row.number == expected.number else {
            throw Violation(
                .derivation,
                "record \(key) reads \"\(row.text)\", \(row.number); its slot says \"\(expected.text)\", \(expected.number)"
            )
        }
        guard isVisible else { return }
        let references = state.references(of: key).filter { reference in
            SampleSchema.references.contains { $0.property == reference.relationship }
        }
        for (property, target) in references where row.references[property] != target {
            throw Violation(
                .derivation,
                "reference \(property) of \(key) reads \(row.references[property].map { "\($0)" } ?? "nil"), expected "
                    + "\(target.map { "\($0)" } ?? "nil")")
        }
        let stored = Set(references.map(\.relationship))
        for (property, _) in row.references where !stored.contains(property) {
            throw Violation(.derivation, "reference \(property) of \(key) is there, and its put has none")
        }
    }
}

/// The attributes of an encoded put: those of every entity, and those of items in later schema versions.
struct Expected: Hashable {
    var text = ""
    var number: Int64 = 0
    var notes: [PropertyID: String] = [:]

    init(_ encoded: [UInt8]) throws {
        for field in try ContentCoding.decode(try Put(encoded: encoded).content) {
            switch (field.property, field.value) {
            case (SampleSchema.text, .string(let text)): self.text = text
            case (SampleSchema.number, .integer(let number)): self.number = number
            case (let property, .string(let text)): notes[property] = text
            default: break
            }
        }
    }
}

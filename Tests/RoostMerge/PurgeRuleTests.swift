import RoostMerge
import RoostModel
import TestSupport
import Testing

@Suite struct PurgeRuleTests {
    private static let rules: ReferenceRules = {
        let schema = try? Schema(json: ReplayHistory.schemaText)
        return ReferenceRules(schema ?? Schema(name: "", version: 0, entities: []))
    }()

    /// The slots that a history leaves.
    private static func facts(_ changes: [Change]) throws -> [RecordKey: RecordFacts] {
        let memory = MemoryFacts(rules)
        for change in changes { try memory.apply(change) }
        return memory.facts
    }

    private static func groups(
        _ facts: [RecordKey: RecordFacts], isReady: (RecordKey) -> Bool
    ) -> [[RecordKey]] {
        var graph = PurgeGraph(keys: Array(facts.keys), rules: rules)
        for (key, fact) in facts { graph.add(key, fact, isReady: isReady(key)) }
        return PurgeRule.groups(of: graph) { facts[$0]?.put }.map(Array.init)
    }

    /// The names of the groups that a line of `roost replay` leaves to purge; all but `recent` are ready.
    private static func purged(_ line: String, recent: Set<String> = []) throws -> [String] {
        let history = try ReplayHistory(line: "{\"changes\": [\(line)]}")
        let groups = try groups(facts(history.changes)) { !recent.contains($0.shortName) }
        return groups.map { $0.map(\.shortName).joined() }
    }

    // MARK: What goes

    @Test(arguments: [
        // A deleted record; one whose put never came; one that came back; one that is there.
        (#"{"record":"p","stamp":1,"put":{}},{"record":"p","stamp":2,"delete":true}"#, ["p"]),
        (#"{"record":"p","stamp":2,"delete":true}"#, ["p"]),
        (#"{"record":"p","stamp":3,"put":{}},{"record":"p","stamp":2,"delete":true}"#, []),
        (#"{"record":"p","stamp":1,"put":{}}"#, []),
        // A parent goes with its hidden child and grandchild; a child that moved away stays.
        (
            #"""
            {"record":"p","stamp":1,"put":{}},{"record":"c","stamp":2,"put":{"a":"p"}},
            {"record":"g","stamp":3,"put":{"a":"c"}},{"record":"m","stamp":4,"put":{}},{"record":"p","stamp":5,"delete":true}
            """#, ["gcp"]
        ),
        // Two deleted records that nothing joins.
        (#"{"record":"p","stamp":1,"delete":true},{"record":"q","stamp":2,"delete":true}"#, ["p", "q"]),
        // A child whose parent never arrived waits for it.
        (#"{"record":"c","stamp":2,"put":{"a":"p"}}"#, []),
        // Kept by deny; and hidden by cascade while a record that stays refers to it with deny.
        (
            #"""
            {"record":"p","stamp":1,"put":{}},{"record":"s","stamp":2,"put":{"d":"p"}},{"record":"p","stamp":3,"delete":true}
            """#, []
        ),
        (
            #"""
            {"record":"r","stamp":1,"put":{}},{"record":"p","stamp":2,"put":{"a":"r"}},{"record":"s","stamp":3,"put":{"d":"p"}},
            {"record":"r","stamp":4,"delete":true},{"record":"p","stamp":5,"delete":true}
            """#, []
        ),
        // Hidden itself, but what keeps `p`, which was deleted, visible.
        (
            #"""
            {"record":"r","stamp":1,"put":{}},{"record":"k","stamp":2,"put":{"a":"r","d":"p"}},{"record":"p","stamp":3,"put":{}},
            {"record":"p","stamp":4,"delete":true},{"record":"r","stamp":5,"delete":true}
            """#, []
        ),
        // A nullify or noAction reference holds nothing back: it reads the same without the target.
        (
            #"""
            {"record":"p","stamp":1,"delete":true},{"record":"n","stamp":2,"put":{"n":"p","o":"p"}}
            """#, ["p"]
        ),
        // A cycle of two that a visible record is on: its newest member reads nil and is visible, and needs the other to.
        (
            #"""
            {"record":"a","stamp":1,"put":{"t":"b"}},{"record":"b","stamp":2,"put":{"t":"a"}},
            {"record":"a","stamp":3,"delete":true}
            """#, []
        ),
        // A cycle that is deleted as a whole.
        (
            #"""
            {"record":"a","stamp":1,"put":{"t":"b"}},{"record":"b","stamp":2,"put":{"t":"a"}},
            {"record":"a","stamp":3,"delete":true},{"record":"b","stamp":4,"delete":true}
            """#, ["ab"]
        ),
    ])
    func whatMayGo(_ history: String, _ groups: [String]) throws {
        #expect(try Self.purged(history) == groups)
    }

    // MARK: What is not ready

    private static let family = #"""
        {"record":"p","stamp":1,"put":{}},{"record":"c","stamp":2,"put":{"a":"p"}},{"record":"p","stamp":5,"delete":true}
        """#

    @Test(arguments: ["p", "c"])
    func parentAndChildWaitForEachOther(_ recent: String) throws {
        #expect(try Self.purged(Self.family, recent: [recent]) == [])
    }

    /// The cause of `g` is `c`, which may go; but `p`, which hides `c` no longer, has nothing to do with it.
    @Test func deletedChildGoesWithoutAParentThatStays() throws {
        let history = #"""
            {"record":"p","stamp":1,"put":{}},{"record":"c","stamp":2,"put":{"a":"p"}},{"record":"g","stamp":3,"put":{"a":"c"}},
            {"record":"c","stamp":5,"delete":true}
            """#
        #expect(try Self.purged(history) == ["gc"])
    }

    /// `d` was deleted yesterday and may be undeleted tomorrow: then `p` would be kept by it.
    @Test func recordThatMayComeBackHoldsWhatItDenies() throws {
        let history = #"""
            {"record":"p","stamp":1,"put":{}},{"record":"d","stamp":2,"put":{"d":"p"}},{"record":"d","stamp":3,"delete":true},
            {"record":"p","stamp":4,"delete":true}
            """#
        #expect(try Self.purged(history, recent: ["d"]) == [])
        #expect(try Self.purged(history) == ["dp"])
    }

    // MARK: Random histories

    private struct Split {
        var before: [Change]
        var after: [Change]
        var purged: Set<RecordKey>
    }

    /// A history, the records of it that are purged after a part of it, and the rest.
    ///
    /// Stamps grow with arrival but for some, so that much is old when it is purged.
    private static func split(_ random: inout SplitMix64) throws -> Split {
        let changes = RandomHistory.changes(count: 26, records: 7, using: &random)
        let cut = Int.random(in: 6..<22, using: &random)
        let facts = try facts(Array(changes[..<cut]))
        var notReady: Set<RecordKey> = []
        for key in facts.keys.sorted() where Int.random(in: 0..<5, using: &random) == 0 { notReady.insert(key) }
        let groups = groups(facts) { !notReady.contains($0) }
        return Split(before: Array(changes[..<cut]), after: Array(changes[cut...]), purged: Set(groups.joined()))
    }

    @Test(arguments: 0..<40)
    func purgingChangesNothingThatIsVisible(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        var count = 0
        for _ in 0..<50 {
            let split = try Self.split(&random)
            count += split.purged.count
            let facts = try Self.facts(split.before)
            let left = facts.filter { !split.purged.contains($0.key) }
            let (full, less) = (VisibleState(facts, rules: Self.rules), VisibleState(left, rules: Self.rules))
            #expect(less.visible(left) == full.visible(facts))
            #expect(less.dropped == full.dropped.subtracting(split.purged))
        }
        #expect(count > 15, "the histories purge too little to show anything")
    }

    /// Arrays of places give the result of sets and dictionaries.
    @Test(arguments: 0..<40)
    func choosesWhatThePlainRuleDoes(seed: UInt64) throws {
        var random = SplitMix64(state: 3000 + seed)
        var count = 0
        for _ in 0..<50 {
            let facts = try Self.facts(RandomHistory.changes(count: 40, records: 9, using: &random))
            var ready: Set<RecordKey> = []
            for key in facts.keys.sorted() where Int.random(in: 0..<6, using: &random) > 0 { ready.insert(key) }
            let plain = PlainPurgeRule.groups(facts, rules: Self.rules) { ready.contains($0) }
            #expect(Self.groups(facts) { ready.contains($0) }.map { $0.sorted() } == plain)
            count += plain.count
        }
        #expect(count > 30, "the histories purge too little to show anything")
    }

    /// Anything may be purged in any part: group by group.
    @Test(arguments: 0..<20)
    func everyGroupCanGoAlone(seed: UInt64) throws {
        var random = SplitMix64(state: 1000 + seed)
        for _ in 0..<50 {
            let changes = RandomHistory.changes(count: 20, records: 7, using: &random)
            let facts = try Self.facts(changes)
            let full = VisibleState(facts, rules: Self.rules).visible(facts)
            for group in Self.groups(facts, isReady: { _ in true }) {
                let left = facts.filter { !group.contains($0.key) }
                #expect(VisibleState(left, rules: Self.rules).visible(left) == full)
            }
        }
    }

    /// Pages may give the identifiers of one group one by one, and with each what the server has of that record now.
    @Test(arguments: 0..<40)
    func noneOfAGroupShowsBetweenTheIdentifiersOfTwo(seed: UInt64) throws {
        var random = SplitMix64(state: 4000 + seed)
        let later = HybridTimestamp(time: .max, replica: ReplayHistory.author)
        var count = 0
        for _ in 0..<50 {
            var facts = try Self.facts(RandomHistory.changes(count: 20, records: 7, using: &random))
            for group in Self.groups(facts, isReady: { _ in true }) {
                var rest = Set(group)
                for key in group {
                    rest.remove(key)
                    // It has no reference: what one with `deny` or `tree` would decide is left out (``laterArrivalsShowTheSame(seed:)``).
                    facts[key] = Bool.random(using: &random) ? RecordFacts(put: later) : nil
                    let state = VisibleState(facts, rules: Self.rules)
                    #expect(!rest.contains { state.isVisible($0) }, "\(key.shortName) of \(group.map(\.shortName))")
                }
                count += group.count - 1
            }
        }
        #expect(count > 15, "the histories have too few groups of several records to show anything")
    }

    /// Everything that arrives later shows the same as if nothing had been purged: edits of purged records are refused
    /// (`gone`), others are taken in. Left out is what deny and tree references of or to purged records would have decided:
    /// those are no more.
    @Test(arguments: 0..<40)
    func laterArrivalsShowTheSame(seed: UInt64) throws {
        var random = SplitMix64(state: 2000 + seed)
        for _ in 0..<50 {
            let split = try Self.split(&random)
            let facts = try Self.facts(split.before)
            let denied = Set(split.purged.flatMap { Self.denied(by: $0, facts[$0]) })
            let full = MemoryFacts(Self.rules)
            let less = MemoryFacts(Self.rules)
            for change in split.before { try full.apply(change) }
            for change in split.before where !split.purged.contains(change.key) { try less.apply(change) }
            for change in split.after where try !Self.concerns(change, split.purged, denied) {
                try full.apply(change)
                try less.apply(change)
                #expect(less.visible == full.visible)
            }
        }
    }

    /// Nothing purged is visible again, whatever arrives; a create of an expired replica below a purged record is hidden
    /// and kept.
    @Test(arguments: 0..<40)
    func nothingPurgedReappears(seed: UInt64) throws {
        var random = SplitMix64(state: 3000 + seed)
        for _ in 0..<50 {
            let split = try Self.split(&random)
            let less = MemoryFacts(Self.rules)
            for change in split.before where !split.purged.contains(change.key) { try less.apply(change) }
            for change in split.after where !split.purged.contains(change.key) {
                try less.apply(change)
                #expect(less.visible.isDisjoint(with: split.purged))
                #expect(less.facts[change.key] != nil)
            }
        }
    }

    private static func denied(by key: RecordKey, _ fact: RecordFacts?) -> [RecordKey] {
        (fact?.references ?? []).compactMap { reference in
            guard let rule = rules.rule(key.entity, reference.relationship), rule.deleteRule == .deny else {
                return nil
            }
            return RecordKey(entity: rule.destination, id: reference.target)
        }
    }

    /// Whether a change would be refused as `gone`, or names a purged record where the difference shows.
    private static func concerns(
        _ change: Change, _ purged: Set<RecordKey>, _ denied: Set<RecordKey>
    ) throws -> Bool {
        if purged.contains(change.key) || denied.contains(change.key) { return true }
        guard case .put(let encoded, _) = change.kind else { return false }
        return try Put(encoded: encoded).references.contains { reference in
            guard let rule = rules.rule(change.key.entity, reference.relationship) else { return false }
            return (rule.deleteRule == .deny || rule.isTree)
                && purged.contains(RecordKey(entity: rule.destination, id: reference.target))
        }
    }
}

extension RecordKey {
    /// The name in a line of `roost replay`.
    fileprivate var shortName: String { String(decoding: id.bytes.prefix { $0 != 0 }, as: UTF8.self) }
}

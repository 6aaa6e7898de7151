package import RoostModel

/// The records of a scope and their references, in some 50 bytes a record: the input of ``PurgeRule``.
///
/// A record is named by its index in ``keys``. A target that is no record of the scope gets an index after them.
package struct PurgeGraph {
    /// A record's own state, and the findings of the rule.
    struct Marks: OptionSet {
        let rawValue: UInt8

        static let put = Marks(rawValue: 1)
        static let deleted = Marks(rawValue: 2)
        static let ready = Marks(rawValue: 4)
        static let kept = Marks(rawValue: 8)
        static let dropped = Marks(rawValue: 16)
        static let hidden = Marks(rawValue: 32)
        static let chosen = Marks(rawValue: 64)
    }

    /// The effect of a reference. References with other effects are not stored.
    enum Kind: UInt8 { case cascade, tree, deny }

    private let rules: ReferenceRules
    /// All records of the scope, in ascending order.
    let keys: [RecordKey]
    private var missing: [RecordKey] = []
    private var missingPlaces: [RecordKey: UInt32] = [:]
    var marks: [Marks]
    /// The index of each record's first reference. The references of one record are contiguous.
    private var firsts: [UInt32]
    private var sources: [UInt32] = []
    private var targets: [UInt32] = []
    private var kinds: [Kind] = []
    /// The indexes of the references in the order of their targets.
    private var byTarget: [UInt32] = []

    /// Creates a graph without references.
    ///
    /// - Parameter keys: All records of the scope, fewer than 4,294,967,295, in any order.
    package init(keys: consuming [RecordKey], rules: ReferenceRules) {
        self.rules = rules
        var keys = keys
        keys.sort()
        marks = Array(repeating: [], count: keys.count)
        firsts = Array(repeating: .max, count: keys.count)
        sources.reserveCapacity(keys.count)
        targets.reserveCapacity(keys.count)
        kinds.reserveCapacity(keys.count)
        self.keys = keys
    }

    /// Adds the facts of one record. Call it once for each record.
    package mutating func add(_ key: RecordKey, _ facts: RecordFacts, isReady: Bool) {
        guard let place = place(of: key) else { return }
        switch facts.own {
        case .put: marks[Int(place)].insert(.put)
        case .deleted: marks[Int(place)].insert(.deleted)
        case .absent: break
        }
        if isReady { marks[Int(place)].insert(.ready) }
        guard facts.put != nil else { return }
        for reference in facts.references {
            guard let rule = rules.rule(key.entity, reference.relationship), let kind = Kind(rule) else { continue }
            if firsts[Int(place)] == .max { firsts[Int(place)] = UInt32(sources.count) }
            sources.append(place)
            targets.append(placeOfTarget(RecordKey(entity: rule.destination, id: reference.target)))
            kinds.append(kind)
        }
    }

    /// Sorts the references by target. Call it once all records are added.
    mutating func index() {
        var order = sources.indices.map { UInt32($0) }
        order.sort { targets[Int($0)] < targets[Int($1)] }
        byTarget = order
    }

    // MARK: Records

    func key(_ place: UInt32) -> RecordKey {
        isMissing(place) ? missing[Int(place) - keys.count] : keys[Int(place)]
    }

    func isMissing(_ place: UInt32) -> Bool { Int(place) >= keys.count }

    func has(_ mark: Marks, _ place: UInt32) -> Bool { !isMissing(place) && marks[Int(place)].contains(mark) }

    var places: Range<UInt32> { 0..<UInt32(keys.count) }

    private func place(of key: RecordKey) -> UInt32? {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low < keys.count && keys[low] == key ? UInt32(low) : nil
    }

    private mutating func placeOfTarget(_ key: RecordKey) -> UInt32 {
        if let place = place(of: key) ?? missingPlaces[key] { return place }
        let place = UInt32(keys.count + missing.count)
        missing.append(key)
        missingPlaces[key] = place
        return place
    }

    // MARK: References

    /// Calls `body` with each reference of a record.
    func forEachTarget(of place: UInt32, _ body: (_ kind: Kind, _ target: UInt32) -> Void) {
        guard !isMissing(place), firsts[Int(place)] != .max else { return }
        var edge = Int(firsts[Int(place)])
        while edge < sources.count, sources[edge] == place {
            body(kinds[edge], targets[edge])
            edge += 1
        }
    }

    /// Calls `body` with each reference to a record.
    func forEachSource(of place: UInt32, _ body: (_ kind: Kind, _ source: UInt32) -> Void) {
        var (low, high) = (0, byTarget.count)
        while low < high {
            let middle = (low + high) / 2
            if targets[Int(byTarget[middle])] < place { low = middle + 1 } else { high = middle }
        }
        while low < byTarget.count, case let edge = Int(byTarget[low]), targets[edge] == place {
            body(kinds[edge], sources[edge])
            low += 1
        }
    }
}

extension PurgeGraph.Kind {
    fileprivate init?(_ rule: ReferenceRules.Rule) {
        switch rule.deleteRule {
        case .cascade: self = rule.isTree ? .tree : .cascade
        case .deny: self = .deny
        case .nullify, .noAction: return nil
        }
    }
}

internal import RoostModel

extension BoundPredicate {
    /// Whether the record satisfies the predicate. The result equals that of the SQL.
    ///
    /// - Throws: Any error of the subject.
    package func matches(_ subject: any PredicateSubject) throws -> Bool {
        var records = [(any PredicateSubject)?](repeating: nil, count: slots)
        records[0] = subject
        var evaluation = PredicateEvaluation(records: records, patterns: patterns)
        return try evaluation.isTrue(node)
    }
}

/// The evaluation of a predicate on one record.
struct PredicateEvaluation {
    /// The tested record and the current elements of nested collections, by slot.
    var records: [(any PredicateSubject)?]
    let patterns: PatternCache

    mutating func isTrue(_ node: BoundNode) throws -> Bool {
        switch node {
        case .constant(let truth): return truth
        case .and(let nodes):
            for node in nodes where try !isTrue(node) { return false }
            return true
        case .or(let nodes):
            for node in nodes where try isTrue(node) { return true }
            return false
        case .not(let node): return try !isTrue(node)
        case .compare(let left, let operation, let right, let options):
            return compare(try value(left), operation, try value(right), options)
        case .between(let term, let low, let high, let options):
            let (value, low, high) = (try value(term), try value(low), try value(high))
            return compare(low, .lessOrEqual, value, options) && compare(value, .lessOrEqual, high, options)
        case .member(let term, let set, let options):
            return set.contains(TextFolding.folded(ValueOrder.plain(try value(term)), options))
        case .exists(let collection, let node):
            for element in try elements(collection) {
                records[collection.slot] = element
                if try isTrue(node) { return true }
            }
            return false
        }
    }

    // MARK: Comparison

    private func compare(
        _ left: Value, _ operation: BoundNode.Operator, _ right: Value, _ options: TextOptions
    ) -> Bool {
        let first = TextFolding.folded(left, options)
        let second = TextFolding.folded(right, options)
        switch operation {
        case .equal: return ValueOrder.isEqual(first, second)
        case .notEqual: return !ValueOrder.isEqual(first, second)
        case .less: return ValueOrder.compare(first, second).map { $0 < 0 } ?? false
        case .lessOrEqual: return ValueOrder.compare(first, second).map { $0 <= 0 } ?? false
        case .greater: return ValueOrder.compare(first, second).map { $0 > 0 } ?? false
        case .greaterOrEqual: return ValueOrder.compare(first, second).map { $0 >= 0 } ?? false
        case .beginsWith, .endsWith, .contains, .like, .matches: break
        }
        guard case .string(let text) = left, case .string(let part) = right else { return false }
        switch operation {
        case .like: return patterns.isLike(text, part, options)
        case .matches: return patterns.matches(text, part, options)
        default:
            let bytes = TextFolding.folded(text, options).utf8
            return isPart(Array(TextFolding.folded(part, options).utf8), operation, of: Array(bytes))
        }
    }

    private func isPart(_ part: [UInt8], _ operation: BoundNode.Operator, of bytes: [UInt8]) -> Bool {
        switch operation {
        case .beginsWith: return bytes.starts(with: part)
        case .endsWith: return bytes.count >= part.count && bytes.suffix(part.count).elementsEqual(part)
        default:
            guard bytes.count >= part.count else { return false }
            return (0...(bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
        }
    }

    // MARK: Terms

    private mutating func value(_ term: BoundTerm) throws -> Value {
        switch term {
        case .constant(let value, _): return value
        case .path(let path): return try value(path)
        case .count(let collection, let node):
            var count: Int64 = 0
            for element in try elements(collection) {
                records[collection.slot] = element
                if try isTrue(node) { count += 1 }
            }
            return .integer(count)
        case .aggregate(let function, let collection, let inner): return try aggregate(function, collection, inner)
        case .arithmetic(let operation, let left, let right):
            return NumberArithmetic.apply(operation, try value(left), try value(right))
        case .text(let function, let inner): return function.applied(to: try value(inner))
        }
    }

    private mutating func aggregate(
        _ function: PredicateTerm.Function, _ collection: BoundCollection, _ term: BoundTerm
    ) throws -> Value {
        var total = NumberTotal()
        var best = Value.null
        for element in try elements(collection) {
            records[collection.slot] = element
            let value = try value(term)
            switch function {
            case .sum, .average: total.add(value)
            case .minimum, .maximum:
                let order = ValueOrder.compare(value, best) ?? (value == .null ? 0 : 1)
                if order != 0, best == .null || (order < 0) == (function == .minimum) { best = value }
            }
        }
        switch function {
        case .sum:
            // A sum over a double attribute is a double even without elements: division must not become integer division.
            guard term.kind == .value(.double), case .integer(let whole) = total.sum else { return total.sum }
            return .double(Double(whole))
        case .average: return total.average
        case .minimum, .maximum: return best
        }
    }

    // MARK: Paths

    private func value(_ path: BoundPath) throws -> Value {
        guard let record = try walk(path) else { return .null }
        switch path.leaf {
        case .identifier: return .data(record.recordID.bytes)
        case .attribute(let attribute): return ValueOrder.plain(try record.value(attribute.name))
        case .reference(let step):
            return try target(step, of: record).map { .data($0.recordID.bytes) } ?? .null
        }
    }

    /// The record that has the leaf.
    private func walk(_ path: BoundPath) throws -> (any PredicateSubject)? {
        var record = records[path.slot]
        for step in path.steps { record = try record.flatMap { try target(step, of: $0) } }
        return record
    }

    /// The record that a step with one value leads to.
    private func target(
        _ step: PathResolver.Step, of record: any PredicateSubject
    ) throws -> (any PredicateSubject)? {
        guard let element = step.element else { return try record.target(step.relationship.name) }
        let places = try record.targets(step.relationship.name).map { target in
            (record: target, place: try step.relationship.orderedBy.map { try target.value($0) } ?? .null)
        }
        let sorted = places.sorted { left, right in
            // A record without a place comes first.
            switch (left.place, right.place) {
            case (.null, .null): return left.record.recordID < right.record.recordID
            case (.null, _): return true
            case (_, .null): return false
            default:
                let order = ValueOrder.compare(left.place, right.place) ?? 0
                return order == 0 ? left.record.recordID < right.record.recordID : order < 0
            }
        }
        return (element == .first ? sorted.first : sorted.last)?.record
    }

    private func elements(_ collection: BoundCollection) throws -> [any PredicateSubject] {
        var base = try walk(collection.base)
        if case .reference(let step) = collection.base.leaf { base = try base.flatMap { try target(step, of: $0) } }
        var records = base.map { [$0] } ?? []
        for step in collection.steps {
            var next: [any PredicateSubject] = []
            for record in records {
                if step.isToMany {
                    next += try record.targets(step.relationship.name)
                } else if let target = try target(step, of: record) {
                    next.append(target)
                }
            }
            records = next
        }
        return records
    }
}

import Predicates
import RoostModel

/// Makes random predicates that fit the schema of a world.
struct RandomPredicate {
    private static let patterns = [
        "*", "?", "", "cr?me*", "*e", "*é*", "a\\*b", "?\u{0}?", "\\?", "*_*", "100%", "j*-p*",
    ]
    private static let expressions = [".*", "", "[a-z]+", "cr.me.*", "é.*", "\\w+", "a.b", "(a|x).*", "[A-Z].+"]

    let world: PredicateWorld
    var values: RandomWorld
    private var variables = 0

    init(_ world: PredicateWorld, seed: UInt64) {
        self.world = world
        values = RandomWorld(random: SplitMix64(state: seed))
    }

    // MARK: Logic

    /// - Parameters:
    ///   - entity: The entity of the root.
    ///   - depth: The maximum nesting of logic.
    mutating func node(_ entity: String, _ root: PredicatePath.Root = .record, depth: Int) -> PredicateNode {
        guard depth > 0, values.chance(55) else {
            return values.chance(3) ? .constant(values.chance(50)) : comparison(entity, root, depth: depth)
        }
        let members = (0..<Int.random(in: 2...3, using: &values.random)).map { _ in
            node(entity, root, depth: depth - 1)
        }
        switch values.pick([0, 1, 2]) {
        case 0: return .conjunction(members)
        case 1: return .disjunction(members)
        default: return .not(members[0])
        }
    }

    private mutating func comparison(_ entity: String, _ root: PredicatePath.Root, depth: Int) -> PredicateNode {
        switch Int.random(in: 0..<100, using: &values.random) {
        case 0..<50:
            let (path, kind) = path(entity, root)
            return compare(.path(path), kind, .direct, entity, root)
        case 50..<75:
            let (path, element) = manyPath(entity, root)
            let (rest, kind) = self.path(element, .record, reference: 30)
            let whole = PredicatePath(root: path.root, path.names + rest.names)
            if rest.names.isEmpty, values.chance(30) {
                return .comparison(.init(.path(whole), .contains, .constant(identifier(element))))
            }
            return compare(.path(whole), kind, values.pick([.any, .all, .none]), entity, root)
        case 75..<90: return compare(computed(entity, root), .value(.double), .direct, entity, root)
        default:
            let (path, element) = manyPath(entity, root, orSingle: true)
            variables += 1
            let name = "v\(variables)"
            // Most conditions are on the element, some on the enclosing record.
            let filter = values.chance(80) ? node(element, .variable(name), depth: 0) : node(entity, root, depth: 0)
            let count = PredicateTerm.subquery(path, variable: name, filter)
            return .comparison(.init(count, values.pick([.equal, .greater, .less]), small()))
        }
    }

    // MARK: Paths

    /// A path with one value.
    private mutating func path(
        _ entity: String, _ root: PredicatePath.Root, reference: Int = 15
    ) -> (PredicatePath, TermKind) {
        var names: [String] = []
        var current = world.schema.entity(named: entity)
        while names.count < 3, values.chance(30) {
            let steps = current?.relationships.filter { !$0.isToMany } ?? []
            guard !steps.isEmpty else { break }
            let step = values.pick(steps)
            names.append(step.name)
            current = world.schema.entity(named: step.destination)
        }
        guard let current, !values.chance(reference) else {
            return (PredicatePath(root: root, names), .record(current?.name ?? ""))
        }
        let attribute = values.pick(current.attributes)
        return (PredicatePath(root: root, names + [attribute.name]), .value(attribute.kind))
    }

    /// A path that ends in a to-many relationship, and the entity there.
    ///
    /// - Parameter orSingle: Whether the path may end in a single end, which then gives all its records.
    private mutating func manyPath(
        _ entity: String, _ root: PredicatePath.Root, orSingle: Bool = false
    ) -> (PredicatePath, String) {
        var names: [String] = []
        var current = world.schema.entity(named: entity)
        while true {
            let isLast = names.count > 2 || values.chance(60)
            func isMany(_ step: Relationship) -> Bool { step.isToMany || (orSingle && step.isSingle) }
            let steps = current?.relationships.filter { !isLast || isMany($0) } ?? []
            let step = values.pick(steps)
            names.append(step.name)
            if isMany(step), isLast || values.chance(70) {
                return (PredicatePath(root: root, names), step.destination)
            }
            current = world.schema.entity(named: step.destination)
        }
    }

    /// A computed number.
    private mutating func computed(_ entity: String, _ root: PredicatePath.Root) -> PredicateTerm {
        if values.chance(45) { return arithmetic(entity, root, depth: 2) }
        let (path, element) = manyPath(entity, root, orSingle: true)
        let numbers = world.schema.entity(named: element)?.attributes.filter { [.integer, .double].contains($0.kind) }
        guard let numbers, !numbers.isEmpty, values.chance(75) else { return .count(path) }
        let function = values.pick(PredicateTerm.Function.allCases)
        return .aggregate(function, path, of: [values.pick(numbers).name])
    }

    private mutating func arithmetic(_ entity: String, _ root: PredicatePath.Root, depth: Int) -> PredicateTerm {
        if depth > 0, values.chance(70) {
            return .arithmetic(
                values.pick(PredicateTerm.ArithmeticOperator.allCases), arithmetic(entity, root, depth: depth - 1),
                arithmetic(entity, root, depth: depth - 1))
        }
        let numbers =
            ["Person": ["age", "weight"], "Spending": ["amount", "rate"], "Tag": ["weight"], "Passport": ["pages"]][
                entity] ?? []
        return values.chance(60) ? .path(PredicatePath(root: root, [values.pick(numbers)])) : .constant(number())
    }

    // MARK: Comparisons

    private mutating func compare(
        _ left: PredicateTerm, _ kind: TermKind, _ modifier: PredicateComparison.Modifier, _ entity: String,
        _ root: PredicatePath.Root
    ) -> PredicateNode {
        let choices: [TextOptions] = [
            [], [], .caseInsensitive, .diacriticInsensitive, .loose, [.loose, .widthInsensitive],
        ]
        let options = kind.isTextual ? values.pick(choices) : []
        let operation = values.pick(operations(kind))
        var right = PredicateTerm.constant(constant(kind, operation))
        if operation == .isIn || operation == .between {
            let count = operation == .between ? 2 : Int.random(in: 0...5, using: &values.random)
            right = .list(of: (0..<count).map { _ in side(kind, operation, entity, root) })
        } else if operation != .like, operation != .matches {
            right = side(kind, operation, entity, root)
        }
        return .comparison(.init(left, operation, right, modifier: modifier, options: options))
    }

    private mutating func side(
        _ kind: TermKind, _ operation: PredicateComparison.Operator, _ entity: String, _ root: PredicatePath.Root
    ) -> PredicateTerm {
        for _ in 0..<4 where values.chance(12) {
            let (path, other) = path(entity, root)
            if other == kind || (other.isNumeric && kind.isNumeric) { return .path(path) }
        }
        return .constant(constant(kind, operation))
    }

    private func operations(_ kind: TermKind) -> [PredicateComparison.Operator] {
        let ordered: [PredicateComparison.Operator] = [
            .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .isIn,
        ]
        switch kind {
        case .value(.integer), .value(.double), .value(.timestamp): return ordered
        case .value(.date): return ordered + [.beginsWith]
        case .value(.string): return ordered + [.beginsWith, .endsWith, .contains, .like, .matches]
        case .value(.json): return [.equal, .notEqual, .isIn, .beginsWith, .endsWith, .contains]
        default: return [.equal, .notEqual, .isIn]
        }
    }

    // MARK: Constants

    private mutating func constant(_ kind: TermKind, _ operation: PredicateComparison.Operator) -> PredicateValue {
        if values.chance(8) { return .null }
        switch (kind, operation) {
        case (_, .like): return .string(values.pick(values.chance(70) ? Self.patterns : RandomWorld.texts))
        case (_, .matches): return .string(values.pick(Self.expressions))
        case (.value(.date), .beginsWith): return .string(values.pick(["2026", "2026-07-1", "", "9"]))
        case (.value(.string), _): return .string(values.pick(RandomWorld.texts))
        case (.value(.json), _): return .string(values.pick(RandomWorld.json))
        case (.value(.date), _): return .string(values.pick(RandomWorld.days))
        case (.value(.timestamp), _):
            let instant = values.pick(RandomWorld.instants)
            return values.chance(50) ? .timestamp(instant) : .integer(instant)
        case (.value(.boolean), _): return values.pick([.boolean(true), .boolean(false), .integer(0), .integer(1)])
        case (.value(.uuid), _):
            return .data(Array(repeating: UInt8(Int.random(in: 1...5, using: &values.random)), count: 16))
        case (.value(.data), _): return .data(values.pick(RandomWorld.bytes))
        case (.record(let entity), _): return identifier(entity)
        default: return number()
        }
    }

    private mutating func number() -> PredicateValue {
        switch values.pick([0, 1, 2]) {
        case 0: .integer(values.pick(RandomWorld.integers))
        case 1: .double(values.pick(RandomWorld.doubles))
        default: .integer(Int64.random(in: -5...200, using: &values.random))
        }
    }

    private mutating func small() -> PredicateTerm {
        .constant(.integer(Int64.random(in: 0...3, using: &values.random)))
    }

    /// An identifier, mostly of an existing record.
    private mutating func identifier(_ entity: String) -> PredicateValue {
        let ids = world.records[entity].map { $0.keys.sorted() } ?? []
        return .identifier(ids.isEmpty || values.chance(5) ? RecordID(high: 1, low: 1) : values.pick(ids))
    }
}

extension TermKind {
    fileprivate var isTextual: Bool { self == .value(.string) || self == .value(.json) }
    fileprivate var isNumeric: Bool { self == .value(.integer) || self == .value(.double) }
}

extension Relationship {
    fileprivate var isToMany: Bool { kind != .toOne && !isSingle }
}

internal import GRDB
internal import Predicates
internal import Replica
internal import RoostModel

/// Reads the sections of a list whose section is an attribute of what each row names, such as `person.name`, by counting the
/// rows that name each record: over the index of the reference, and without reading a row.
struct OutlineFetch<Object: ManagedObject> {
    /// Counting looks for each record that may be named, so that there should not be many more of those than rows.
    private static var idleTargetsMax: Int { 10_000 }

    private let request: FetchRequest<Object>
    /// Without an order, so that only what the predicate needs is joined.
    private let compiler: FetchCompiler
    private let key: FetchCompiler.SortKey
    private let store: StoreID
    private let reference: StoredProperty
    private let destination: EntityDescription
    private let attribute: StoredProperty
    private unowned let context: ObjectContext

    /// - Returns: `nil` where the sections are of another kind, or the rows are not all of one store.
    init?(_ request: FetchRequest<Object>, _ sectionPath: String?, _ context: ObjectContext) throws {
        let names = sectionPath?.split(separator: ".").map(String.init) ?? []
        var unordered = request
        unordered.sortDescriptors = []
        let compiler = try FetchCompiler(unordered, context.model)
        let stores = try context.stores(of: request)
        guard names.count == 2, let key = try FetchCompiler(request, context.model).keys.first, stores.count == 1,
            request.limit == nil, request.offset == 0,
            // What a parent has not saved is not told of before it changes.
            context.parent == nil,
            let reference = compiler.entity.column(named: names[0]), let end = reference.reference?.destination,
            let destination = context.model[end], let attribute = destination.column(named: names[1]),
            attribute.reference == nil
        else { return nil }
        (self.request, self.compiler, self.key) = (request, compiler, key)
        (self.context, self.store) = (context, stores[0])
        (self.reference, self.destination, self.attribute) = (reference, destination, attribute)
    }

    /// - Returns: `nil` where some rows name nothing, or counting would not pay: all rows have to be read then.
    func outline() throws -> ResultsOutline? {
        return try context.read(store, "read the sections of \(compiler.entity.name)") { database in
            let token = try WriteToken(database)
            let total = try database.query(compiler.select("count(*)")).first { $0.integer(0) } ?? 0
            let targets = try database.query("SELECT count(*) FROM \(destination.table)").first { $0.integer(0) } ?? 0
            guard targets <= max(total, Int64(Self.idleTargetsMax)) else { return nil }
            let counts = try counts(database)
            guard counts.reduce(0, { $0 + $1.count }) == total, let sections = sections(counts) else { return nil }
            return ResultsOutline(sections: sections, token: token)
        }
    }

    /// What was written to the store until now.
    func token() throws -> WriteToken { try context.coordinator.store(store).backend.writeToken() }

    private typealias Count = (target: RecordID, value: Value, count: Int64)

    private func counts(_ database: Database) throws -> [Count] {
        let count = compiler.count(whose: reference, is: "section.id")
        let query = try database.query(
            "\(sql: "SELECT section.id, section.\(attribute.quoted),") (\(count)) \(sql: "FROM \(destination.table) AS section")"
        )
        var counts: [Count] = []
        while try query.step() {
            let count = query.integer(2)
            guard count > 0, let target = query.id(0) else { continue }
            counts.append((target, query.value(1, as: attribute.valueKind), count))
        }
        return counts
    }

    /// - Returns: `nil` where a name comes again after another one.
    private func sections(_ counts: [Count]) -> [ResultsOutline.Section]? {
        let isAscending = key.descriptor.isAscending
        let sorted = counts.sorted { left, right in
            let order = key.compare(left.value, right.value)
            return isAscending ? order < 0 : order > 0
        }
        var sections: [ResultsOutline.Section] = []
        var names: Set<ExactText> = []
        for (target, value, count) in sorted {
            let name = value.sectionName
            if let last = sections.last, last.info.name.isSameText(as: name) {
                let info = ResultsSectionInfo(name: name, rowCount: last.info.rowCount + Int(count))
                sections[sections.count - 1] = .init(info: info, targets: last.targets + [target])
            } else {
                guard names.insert(ExactText(name)).inserted else { return nil }
                let info = ResultsSectionInfo(name: name, rowCount: Int(count))
                sections.append(.init(info: info, targets: [target]))
            }
        }
        return sections
    }

    /// The objects of some rows of a section.
    func objects(in section: ResultsOutline.Section, _ rows: Range<Int>) throws -> [Object] {
        let rows = rows.clamped(to: 0..<section.info.rowCount)
        guard !rows.isEmpty else { return [] }
        var some = request
        let isHere: FetchPredicate
        if section.targets.count == 1 {
            isHere = try FetchPredicate(format: "%K == %@", reference.name, section.targets[0])
            // It is the same in all rows.
            some.sortDescriptors.removeFirst()
        } else {
            isHere = try FetchPredicate(format: "%K IN %@", reference.name, section.targets)
        }
        some.predicate = request.predicate.map { $0 && isHere } ?? isHere
        (some.offset, some.limit) = (rows.lowerBound, rows.count)
        return try context.fetch(some)
    }
}

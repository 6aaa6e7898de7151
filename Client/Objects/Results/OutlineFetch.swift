internal import GRDB
internal import Predicates
internal import Replica
internal import RoostModel

/// A fetch of the sections of a list, where the section is an attribute of a referenced record, such as `person.name`. It counts
/// the rows that name each record by the index of the reference, without reading a row.
struct OutlineFetch<Object: ManagedObject> {
    /// Maximum number of records that may be named, where they outnumber the rows. Counting looks up each of them, so that more
    /// would not pay.
    private static var idleTargetsMax: Int { 10_000 }

    private let request: FetchRequest<Object>
    /// The request without an order, so that only the tables of the predicate are joined.
    private let compiler: FetchCompiler
    private let key: FetchCompiler.SortKey
    private let store: StoreID
    private let reference: StoredProperty
    private let destination: EntityDescription
    private let attribute: StoredProperty
    private unowned let context: ObjectContext

    /// Makes the fetch.
    ///
    /// - Returns: `nil` where the section path has another form, the rows are in several stores, the request has a limit or an
    ///   offset, or the context has a parent.
    init?(_ request: FetchRequest<Object>, _ sectionPath: String?, _ context: ObjectContext) throws {
        let names = sectionPath?.split(separator: ".").map(String.init) ?? []
        var unordered = request
        unordered.sortDescriptors = []
        let compiler = try FetchCompiler(unordered, context.model)
        let stores = try context.stores(of: request)
        guard names.count == 2, let key = try FetchCompiler(request, context.model).keys.first, stores.count == 1,
            request.limit == nil, request.offset == 0,
            // An edit in a parent does not let the live results of its children read their rows first.
            context.parent == nil,
            let reference = compiler.entity.column(named: names[0]), let end = reference.reference?.destination,
            let destination = context.model[end], let attribute = destination.column(named: names[1]),
            attribute.reference == nil
        else { return nil }
        (self.request, self.compiler, self.key) = (request, compiler, key)
        (self.context, self.store) = (context, stores[0])
        (self.reference, self.destination, self.attribute) = (reference, destination, attribute)
    }

    /// Reads the sections.
    ///
    /// - Returns: `nil` where some rows name no record, a section name recurs, or counting would not pay. All rows have to be
    ///   read then.
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

    /// Returns the token of the store's current state.
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

    /// Groups counts into sections, in the order of the request.
    ///
    /// - Returns: `nil` where a section name recurs after another section.
    private func sections(_ counts: [Count]) -> [ResultsOutline.Section]? {
        let isAscending = key.descriptor.isAscending
        let sorted = counts.sorted { left, right in
            let order = key.compare(left.value, right.value)
            return isAscending ? order < 0 : order > 0
        }
        var sections: [ResultsOutline.Section] = []
        var names: Set<ExactText?> = []
        for (target, value, count) in sorted {
            let name = value.sectionName
            if let last = sections.last, last.info.name.isSameText(as: name) {
                let info = ResultsSectionInfo(name: name, rowCount: last.info.rowCount + Int(count))
                sections[sections.count - 1] = .init(info: info, targets: last.targets + [target])
            } else {
                guard names.insert(name.map(ExactText.init)).inserted else { return nil }
                let info = ResultsSectionInfo(name: name, rowCount: Int(count))
                sections.append(.init(info: info, targets: [target]))
            }
        }
        return sections
    }

    /// Returns the objects of a range of rows of a section.
    func objects(in section: ResultsOutline.Section, _ rows: Range<Int>) throws -> [Object] {
        let rows = rows.clamped(to: 0..<section.info.rowCount)
        guard !rows.isEmpty else { return [] }
        var some = request
        let isHere: FetchPredicate
        if section.targets.count == 1 {
            isHere = try FetchPredicate(format: "%K == %@", reference.name, section.targets[0])
            // All rows of the section share the value of the first sort key.
            some.sortDescriptors.removeFirst()
        } else {
            isHere = try FetchPredicate(format: "%K IN %@", reference.name, section.targets)
        }
        some.predicate = request.predicate.map { $0 && isHere } ?? isHere
        (some.offset, some.limit) = (rows.lowerBound, rows.count)
        return try context.fetch(some)
    }
}

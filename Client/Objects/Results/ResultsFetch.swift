internal import GRDB
internal import Predicates
internal import Replica
internal import RoostModel

/// The fetches behind live results: all rows, or the rows of some records, with their sections and sort keys.
struct ResultsFetch<Object: ManagedObject> {
    struct Row {
        let id: ObjectID
        let section: String?
        /// A hash of the record's content.
        let content: Int
        let keys: [Value]
    }

    private let request: FetchRequest<Object>
    private let sectionPath: String?
    private unowned let context: ObjectContext
    private let entity: EntityDescription
    /// Whether the presence, position and content of a row depend on its own record only.
    private let isAboutItself: Bool
    /// Whether rows depend on other records of their own entity as well, as with `boss.name`.
    private let leadsBack: Bool

    init(_ request: FetchRequest<Object>, _ sectionPath: String?, _ context: ObjectContext) throws {
        self.request = request
        self.sectionPath = sectionPath
        self.context = context
        guard sectionPath == nil || request.sortDescriptors.first?.path == sectionPath else {
            throw ObjectError(
                .invalidRequest,
                "Cannot make sections of \"\(sectionPath ?? "")\": it is not what the request is sorted by first. Make it the first sort descriptor."
            )
        }
        entity = try FetchCompiler(request, context.model).entity
        let paths = request.sortDescriptors.map(\.path) + [sectionPath ?? ""]
        let ends = Set(entity.manyRelationships.map(\.name))
        isAboutItself =
            !paths.contains { $0.contains(where: { $0 == "." || $0 == "[" }) || ends.contains($0) }
            && request.predicate?.node.followsRelationships(ends) != true
        // Without the place of `lines[FIRST]`.
        let names = paths.flatMap { $0.split(separator: ".").map { String($0.prefix { $0 != "[" }) } }
        leadsBack =
            !isAboutItself
            && context.model.relationships(among: (request.predicate?.node.names ?? []).union(names), leadTo: entity.id)
    }

    /// Returns the changed records that concern the result; `nil` where only a fetch of all rows can tell.
    func concerned(_ ids: Set<ObjectID>) -> Set<ObjectID>? {
        guard request.limit == nil, request.offset == 0, request.stores == nil else { return nil }
        let own = ids.filter { $0.entity == entity.id }
        guard isAboutItself || own.count == ids.count && !leadsBack else { return nil }
        return own
    }

    func all() throws -> [Row] { try rows(request) }

    /// Fetches the rows of some records that belong to the result.
    func rows(_ ids: Set<ObjectID>) throws -> [ObjectID: Row] {
        var found: [ObjectID: Row] = [:]
        for chunk in ids.sorted().chunks(of: SQLNumbers.idsAtOnce) {
            var some = request
            let isOne = try FetchPredicate(format: "SELF IN %@", chunk.map(\.record))
            some.predicate = request.predicate.map { $0 && isOne } ?? isOne
            for row in try rows(some) where ids.contains(row.id) { found[row.id] = row }
        }
        return found
    }

    /// Returns the order of rows by the current values of their records. It is valid for one step.
    func order(knowing known: [ObjectID: Row]) throws -> ResultsOrder {
        let keys = try FetchCompiler(request, context.model).keys
        return ResultsOrder(keys: keys, known: known.mapValues(\.keys)) { id in
            var one = request
            one.predicate = try FetchPredicate(format: "SELF == %@", id.record)
            return try rows(one).first { $0.id == id }?.keys
        }
    }

    /// Returns a hash of a record's content.
    static func content(of values: [Value]) -> Int {
        var hasher = Hasher()
        hasher.combine(values)
        return hasher.finalize()
    }

    func snapshot(of rows: [Row]) throws -> ResultsSnapshot<ObjectID> {
        guard sectionPath != nil else { return ResultsSnapshot(rows: rows.map(\.id)) }
        return try ResultsSnapshot(grouping: rows.lazy.map { (row: $0.id, section: $0.section) })
    }

    private func rows(_ request: FetchRequest<Object>) throws -> [Row] {
        try context.resultRows(request).map { id, values, keys in
            let section = sectionPath == nil ? nil : keys.first?.sectionName
            return Row(id: id, section: section, content: Self.content(of: values), keys: keys)
        }
    }
}

extension Value {
    /// The name of the section of rows with this value; `nil` for nil.
    var sectionName: String? {
        switch self {
        case .null: nil
        case .string(let text): text
        case .integer(let number): String(number)
        case .double(let number): "\(number)"
        case .boolean(let flag): String(flag)
        case .data(let bytes): RecordID(bytes: bytes)?.description ?? Hex.encode(bytes)
        }
    }
}

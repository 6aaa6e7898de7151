/// Which part of what matches is wanted.
struct FetchWindow {
    private let limit: Int?
    private let offset: Int

    /// A limit or offset below 0 counts as 0.
    init<Object>(_ request: FetchRequest<Object>) {
        limit = request.limit.map { max(0, $0) }
        offset = max(0, request.offset)
    }

    /// What ends a statement.
    var sql: String {
        guard limit != nil || offset > 0 else { return "" }
        return " LIMIT \(limit ?? -1) OFFSET \(offset)"
    }

    /// What ends a statement that may have to give all of the part.
    var sqlOfEach: String {
        guard let limit, case let (end, overflow) = limit.addingReportingOverflow(offset), !overflow else { return "" }
        return " LIMIT \(end)"
    }

    func cut<Element>(_ elements: [Element]) -> [Element] {
        let rest = elements.dropFirst(offset)
        return Array(limit.map { rest.prefix($0) } ?? rest)
    }
}

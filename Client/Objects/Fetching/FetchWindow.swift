/// The part of the matching objects that a request asks for by its limit and offset.
struct FetchWindow {
    private let limit: Int?
    private let offset: Int

    /// Reads the limit and offset of a request. A value below 0 counts as 0.
    init<Object>(_ request: FetchRequest<Object>) {
        limit = request.limit.map { max(0, $0) }
        offset = max(0, request.offset)
    }

    /// The end of a statement that returns the part.
    var sql: String {
        guard limit != nil || offset > 0 else { return "" }
        return " LIMIT \(limit ?? -1) OFFSET \(offset)"
    }

    /// The end of a statement of one of several stores, which alone may have to return the part.
    var sqlOfEach: String {
        guard let limit, case let (end, overflow) = limit.addingReportingOverflow(offset), !overflow else { return "" }
        return " LIMIT \(end)"
    }

    func cut<Element>(_ elements: [Element]) -> [Element] {
        let rest = elements.dropFirst(offset)
        return Array(limit.map { rest.prefix($0) } ?? rest)
    }
}

internal import GRDB
internal import Replica
internal import RoostModel

/// A fetch of distinct rows of values, in the order of the values.
struct DistinctValues {
    private let compiler: FetchCompiler
    private let columns: [(sql: String, kind: Attribute.Kind)]

    init(_ compiler: FetchCompiler, _ columns: [(sql: String, kind: Attribute.Kind)]) {
        self.compiler = compiler
        self.columns = columns
    }

    func fetch<Object>(_ request: FetchRequest<Object>, in context: ObjectContext) throws -> [[Value]] {
        let stores = try context.stores(of: request)
        let window = FetchWindow(request)
        let list = columns.map(\.sql).joined(separator: ", ")
        let order = columns.indices.map { String($0 + 1) }.joined(separator: ", ")
        let sql = compiler.select(
            list, isDistinct: true, order: order, tail: stores.count == 1 ? window.sql : window.sqlOfEach)
        var rows: [[Value]] = []
        for store in stores {
            rows += try context.read(store, "fetch \(compiler.entity.name)") { database in
                try database.query(sql).all { query in
                    columns.enumerated().map { query.value(Int32($0), as: $1.kind) }
                }
            }
        }
        return stores.count == 1 ? rows : window.cut(merged(rows))
    }

    private func merged(_ rows: [[Value]]) -> [[Value]] {
        let keys = columns.map { FetchCompiler.SortKey(sql: $0.sql, kind: $0.kind, descriptor: .ascending("")) }
        let sorted = rows.sorted { left, right in
            for (index, key) in keys.enumerated() {
                let order = key.compare(left[index], right[index])
                if order != 0 { return order < 0 }
            }
            return false
        }
        var result: [[Value]] = []
        for row in sorted where result.last != row { result.append(row) }
        return result
    }
}

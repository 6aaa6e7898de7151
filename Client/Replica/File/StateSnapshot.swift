internal import GRDB
internal import RoostModel

/// Several values of `roost_state` as they were at one moment, read by one statement: each look-up by itself costs as much as a record.
struct StateSnapshot: StateReading {
    /// Values that are read together.
    struct Names {
        fileprivate let places: [StateStore.Name: Int]
        fileprivate let sql: String

        init(_ names: [StateStore.Name]) {
            places = Dictionary(uniqueKeysWithValues: zip(names, 0...))
            sql =
                "SELECT "
                + names.map { "(SELECT value FROM roost_state WHERE name = '\($0.rawValue)')" }.joined(separator: ", ")
        }
    }

    private let places: [StateStore.Name: Int]
    private let values: [Value]

    init(_ names: Names, in database: Database) throws {
        places = names.places
        values = try database.query(names.sql).first { $0.row } ?? []
    }

    func text(_ name: StateStore.Name) -> String? { if case .text(let text) = self[name] { text } else { nil } }
    func bytes(_ name: StateStore.Name) -> [UInt8]? { if case .bytes(let bytes) = self[name] { bytes } else { nil } }
    func integer(_ name: StateStore.Name) -> Int64? {
        if case .integer(let number) = self[name] { number } else { nil }
    }

    private subscript(name: StateStore.Name) -> Value {
        guard let place = places[name] else { preconditionFailure("\(name) is not among the values that were read") }
        return values[place]
    }
}

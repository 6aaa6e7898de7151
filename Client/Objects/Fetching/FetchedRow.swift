internal import Foundation
internal import Predicates
internal import RoostModel

/// The content read of one record, with the sort keys that order it among records of other stores.
struct FetchedRow<Content> {
    let content: Content
    let keys: [Value]
    let id: ObjectID

    /// Sorts rows of several stores in the order of their request.
    static func merged(_ rows: [FetchedRow], by keys: [FetchCompiler.SortKey]) -> [FetchedRow] {
        rows.sorted { left, right in
            for (index, key) in keys.enumerated() {
                let order = key.compare(left.keys[index], right.keys[index])
                if order != 0 { return key.descriptor.isAscending ? order < 0 : order > 0 }
            }
            return (left.id.record, left.id.store.number) < (right.id.record, right.id.store.number)
        }
    }
}

extension FetchCompiler.SortKey {
    /// Compares two values as SQLite does. The result is below 0 where the left value comes first in an ascending order, and
    /// above 0 where the right one does.
    func compare(_ left: Value, _ right: Value) -> Int {
        switch (left, right) {
        case (.null, .null): 0
        case (.null, _): -1
        case (_, .null): 1
        case (.string(let left), .string(let right)):
            descriptor.textOrder == .localized && kind == .string
                ? NameOrder.compare(left, right).rawValue : order(Array(left.utf8), Array(right.utf8))
        case (.data(let left), .data(let right)): order(left, right)
        case (.integer(let left), .integer(let right)): left < right ? -1 : left > right ? 1 : 0
        case (.boolean(let left), .boolean(let right)): left == right ? 0 : left ? 1 : -1
        case (.double(let left), .double(let right)): left < right ? -1 : left > right ? 1 : 0
        default: 0
        }
    }

    private func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }
}

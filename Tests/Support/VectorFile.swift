internal import Foundation
package import RoostMerge
internal import RoostModel

/// The specification's test vectors (Tests/Vectors/vectors.json).
package struct Vector: Sendable, CustomStringConvertible {
    package let name: String
    package let title: String
    /// The vector as a line of `roost replay`.
    package let history: ReplayHistory
    /// The expected output of `roost replay`.
    package let expected: String

    package var description: String { "\(name) \(title)" }

    package static func all() throws -> [Vector] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Vectors/vectors.json")
        let value = try JSONParser.parse(Array(Data(contentsOf: file)))
        return try (value["vectors"]?.arrayValue ?? []).map { item in
            Vector(
                name: item["name"]?.stringValue ?? "", title: item["title"]?.stringValue ?? "",
                history: try ReplayHistory(item), expected: sorted(item["visible"] ?? .null).text)
        }
    }

    private static func sorted(_ value: JSONValue) -> JSONValue {
        guard let members = value.members else { return value }
        // The rendered order: records and references by name, but "stamp" before "refs".
        let isRecord = members.contains { $0.name == "stamp" }
        let ordered = isRecord ? members.sorted { $0.name > $1.name } : members.sorted { $0.name < $1.name }
        return .object(ordered.map { .init($0.name, sorted($0.value)) })
    }

    /// The history in every order in which its changes may arrive.
    package var orders: [ReplayHistory] {
        permutations(history.changes).map { history.with(changes: $0) }
    }
}

/// Returns all orders of `items`.
package func permutations<Item>(_ items: [Item]) -> [[Item]] {
    guard items.count > 1 else { return [items] }
    return items.indices.flatMap { index in
        var rest = items
        let item = rest.remove(at: index)
        return permutations(rest).map { [item] + $0 }
    }
}

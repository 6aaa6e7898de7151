internal import RoostModel

/// The data that the program keeps between runs.
struct Settings: Hashable {
    /// The file of the group used last.
    var lastGroup: String?
    /// The person who uses this device, by the path of the group's file.
    var people: [String: String] = [:]
    /// The payments that "settle" proposed when it last listed them, by the path of the group's file.
    var proposals: [String: [String]] = [:]

    init() {}

    /// Reads the JSON form. Invalid members are ignored.
    init(_ json: JSONValue) {
        lastGroup = json["lastGroup"]?.stringValue
        for member in json["people"]?.members ?? [] { people[member.name] = member.value.stringValue }
        for member in json["proposals"]?.members ?? [] {
            proposals[member.name] = member.value.arrayValue?.compactMap(\.stringValue)
        }
    }

    var json: JSONValue {
        .members(
            ("lastGroup", lastGroup.map { .string($0) }),
            ("people", .object(people.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })),
            (
                "proposals",
                .object(
                    proposals.sorted { $0.key < $1.key }.map { .init($0.key, .array($0.value.map { .string($0) })) })
            ))
    }
}

internal import RoostModel

/// What the program remembers between runs.
struct Settings: Hashable {
    /// The file of the group used last.
    var lastGroup: String?
    /// By file, the person who uses this device.
    var people: [String: String] = [:]
    /// By file, the payments that "settle" proposed when it last showed them.
    var proposals: [String: [String]] = [:]

    init() {}

    /// Reads the JSON form; what does not fit is left out.
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

internal import Objects
internal import RoostModel

/// The request for records that a call takes.
struct RequestForm {
    let request: FetchRequest<ManagedObject>

    /// More rows than a file has.
    private static let rowsMax: Int64 = 1 << 48

    init(_ members: inout Members) throws {
        let place = members.place
        let entity = try members.requiredText("entity")
        let format = try members.text("where")
        let arguments = try members.array("arguments").map { try Self.argument($0, place) }
        guard arguments.isEmpty || format != nil else {
            throw CallError(.misuse, "missingMember", "\(place) has \"arguments\", and no \"where\" that takes them.")
        }
        let sort = try members.texts("sort") ?? []
        var request = FetchRequest<ManagedObject>(
            entity, where: try format.map { try FetchPredicate(format: $0, arguments: arguments) },
            sortedBy: try sort.map { try Self.descriptor($0, place) })
        request.limit = try members.integer("limit", in: 0...Self.rowsMax).map { Int($0) }
        request.offset = try members.integer("offset", in: 0...Self.rowsMax).map { Int($0) } ?? 0
        self.request = request
    }

    /// Reads a level of an order: a path, with `:descending`, `:ascending` or `:localized` after it.
    private static func descriptor(_ text: String, _ place: String) throws(CallError) -> FetchSortDescriptor {
        let words = text.parts(at: ":", keepsEmpty: true)
        var descriptor = FetchSortDescriptor(words[0])
        for word in words.dropFirst() {
            switch word {
            case "ascending": descriptor.isAscending = true
            case "descending": descriptor.isAscending = false
            case "localized": descriptor.textOrder = .localized
            default:
                throw CallError(
                    .invalid, "invalidRequest",
                    "\"sort\" of \(place) has \"\(text)\", expected a path, or one with :descending or :localized after it."
                )
            }
        }
        return descriptor
    }

    /// Reads an argument of a predicate.
    private static func argument(_ value: JSONValue, _ place: String) throws(CallError) -> PredicateValue {
        switch value {
        case .null: return .null
        case .boolean(let flag): return .boolean(flag)
        case .string(let text): return .string(text)
        case .number(let text):
            if let number = value.integerValue { return .integer(number) }
            guard let number = value.doubleValue, number.isFinite,
                text.utf8.contains(where: { ".eE".utf8.contains($0) })
            else { throw unfit("the number \(text) has more than 64 bits", place) }
            return .double(number)
        case .array(let items):
            var values: [PredicateValue] = []
            for item in items { values.append(try argument(item, place)) }
            return .list(values)
        case .object(let members):
            guard members.count == 1, let member = members.first, let typed = typed(member) else {
                throw unfit("an object is not {\"data\": Base64}, {\"uuid\": …} or {\"timestamp\": …}", place)
            }
            return typed
        }
    }

    private static func typed(_ member: JSONValue.Member) -> PredicateValue? {
        switch member.name {
        case "data": member.value.stringValue.flatMap { Base64.decode($0) }.map { .data($0) }
        case "uuid": member.value.stringValue.flatMap { RecordID($0) }.map { .identifier($0) }
        case "timestamp":
            if case .integer(let time)? = try? AttributeJSON.value(member.value, kind: .timestamp) {
                .timestamp(time)
            } else {
                nil
            }
        default: nil
        }
    }

    private static func unfit(_ reason: String, _ place: String) -> CallError {
        CallError(.invalid, "argument", "Cannot use the \"arguments\" of \(place): \(reason).")
    }
}

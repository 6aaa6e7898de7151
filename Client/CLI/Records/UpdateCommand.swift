internal import ArgumentParser
internal import Objects
internal import RoostModel
internal import Terminal

struct UpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Set properties of all records that a predicate selects, in one transaction.",
        discussion: """
            The change is tracked and synchronised like any other. Records that hold the values already are left alone and not \
            counted. A day is written 2026-07-14, an instant 2026-07-14T09:30:00.000Z or in milliseconds since 1970, data in Base64, a \
            to-one relationship as the identifier of a record.

            EXAMPLES
              roost update trip.roost Spending \\
                --where 'content ==[c] "cab"' --set content=Taxi
              roost update trip.roost Spending --all --set currency=EUR --clear note
            """)

    @OptionGroup var change: ChangeOptions
    @Option(
        name: .customLong("set"), parsing: .unconditionalSingleValue,
        help: "A property and its value: name=value; repeatable.")
    var assignments: [Assignment] = []
    @Option(name: .customLong("clear"), parsing: .singleValue, help: "A property that is set to nil; repeatable.")
    var cleared: [String] = []
    @OptionGroup var common: CommonOptions

    struct Assignment: ExpressibleByArgument {
        let name: String
        let text: String

        init?(argument: String) {
            // Bytes are compared, since a value may begin with a combining mark, which forms one character with the "=".
            let bytes = argument.utf8
            guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")), sign > bytes.startIndex else { return nil }
            name = String(decoding: bytes[..<sign], as: UTF8.self)
            text = String(decoding: bytes[bytes.index(after: sign)...], as: UTF8.self)
        }
    }

    func validate() throws {
        let names = assignments.map(\.name) + cleared
        guard !names.isEmpty else { throw ValidationError("Say what to set: --set name=value or --clear name.") }
        if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
            throw ValidationError("\"\(twice)\" is set twice. Set it once.")
        }
    }

    func run() async throws {
        try await common.run {
            let context = try change.selection.context()
            let entity = try change.selection.entity(in: context)
            let request = try change.selection.request()
            var values = Dictionary(cleared.map { ($0, Value.null) }) { $1 }
            for assignment in assignments {
                values[assignment.name] = try entity.value(of: assignment.text, for: assignment.name)
            }
            let count = try context.updateAll(request, values, "roost update")
            common.json
                ? Console.write(.members(("updated", .integer(count))))
                : Console.write("Updated \(count) \(entity.name).")
        }
    }
}

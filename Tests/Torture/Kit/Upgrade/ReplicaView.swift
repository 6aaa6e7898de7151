internal import Foundation
internal import TestProcesses

/// A replica as printed by the programs and SQLite's shell: equal before and after an upgrade.
///
/// It reads no table of Roost's own, so that it holds for every file format.
struct ReplicaView: Equatable, Sendable {
    /// The printed lines by topic, in a fixed order.
    private(set) var topics: [String: [String]] = [:]

    /// Opens a replica with `programs`, which settles its pending changes.
    init(of replica: String, by programs: ProgramSet) throws {
        topics["status"] = try Self.status(replica, programs)
        topics["journal"] = try Self.lines(
            programs.check("roost", "journal", "--json", replica),
            keys: ["number", "outcome", "entity", "record", "put"])
        topics["deleted"] = try Self.lines(
            programs.check("roost", "journal", "--deleted", "--json", replica), keys: ["entity", "record", "put"])
        topics["log"] = try Self.log(replica, programs)
        topics["check"] = try Self.lines(
            programs.run("roost", ["check", "--json", replica]), keys: ["sound", "faults", "damaged", "waiting"])
        topics["rows"] = try Self.rows(of: replica)
        topics["own"] = try Self.usersOwn(replica)
    }

    /// Returns the differences, one line for each topic.
    func differences(from expected: ReplicaView) -> [String] {
        Set(topics.keys).union(expected.topics.keys).sorted().compactMap { topic in
            let (found, wanted) = (topics[topic] ?? [], expected.topics[topic] ?? [])
            guard found != wanted else { return nil }
            let isCount = topic == "status" && journalsReplaced(expected)
            let (missing, extra) = (
                Self.without(wanted, found).filter {
                    !Self.isUndone($0, found) && !(isCount && Self.isBeatenCount($0))
                },
                Self.without(found, wanted).filter { !Self.isReplaced($0) && !(isCount && Self.isBeatenCount($0)) }
            )
            guard !missing.isEmpty || !extra.isEmpty else { return nil }
            return "\(topic): missing \(missing.prefix(4)), not expected \(extra.prefix(4))"
        }
    }

    /// Returns whether the journal has the record that the fixture replaces while a cascade hides it. Earlier programs did
    /// not journal it (decision 204), so that they count one entry less.
    private func journalsReplaced(_ expected: ReplicaView) -> Bool {
        Self.without(topics["journal"] ?? [], expected.topics["journal"] ?? []).contains(where: Self.isReplaced)
    }

    private static func isReplaced(_ line: String) -> Bool {
        line.contains(#""outcome":"beaten""#) && line.contains("\"content\":\"spending 113\"")
    }

    private static func isBeatenCount(_ line: String) -> Bool { line.hasPrefix("beaten: ") }

    /// Returns whether a line of the log is a delete before an insert of its record, which earlier programs sent too.
    private static func isUndone(_ line: String, _ found: [String]) -> Bool {
        line.contains("\"kind\":\"delete\"") && found.contains(line.replacing("\"delete\"", with: "\"put\""))
    }

    private static func without(_ lines: [String], _ others: [String]) -> [String] {
        let others = Set(others)
        return lines.filter { !others.contains($0) }
    }

    /// Returns every visible row with all values of the first schema version, sorted.
    static func rows(of replica: String) throws -> [String] {
        let selects = UpgradeSchema.tables.map { table in
            let columns = columns[table, default: []].map { "quote(\"\($0)\")" }.joined(separator: " || ' ' || ")
            return "SELECT '\(table) ' || quote(id) || ' ' || \(columns) FROM \"\(table)\";"
        }
        return try Programs.sql(replica, selects.joined(separator: "\n")).lines.sorted()
    }

    /// Returns the rows of a device of the later schema version, with the values that the first version does not have.
    static func rowsOfLaterVersion(of replica: String) throws -> [String] {
        try Programs.sql(
            replica,
            """
            SELECT 'later spending ' || quote(id) || ' ' || quote(content) || ' ' || quote(amount) || ' ' || quote(remark) FROM spending;
            SELECT 'note ' || quote(id) || ' ' || quote(text) FROM note;
            """
        ).lines.sorted()
    }

    private static let columns = [
        "person": ["name"], "tag": ["label"], "folder": ["name", "parent"], "spending_tags": ["source", "target"],
        "spending": [
            "content", "amount", "price", "paid", "day", "moment", "code", "picture", "details", "person", "guarantor",
            "thanks",
        ],
    ]

    // MARK: Topics

    private static func status(_ replica: String, _ programs: ProgramSet) throws -> [String] {
        let output = try programs.check("roost", "status", "--json", replica)
        let keys = [
            "scope", "replica", "role", "device", "waiting", "digest", "schemaVersion", "nextSchemaVersion",
            "journalDays", "beaten", "refused", "lost", "hidden", "kept", "unfit", "toBringBack", "damaged",
            "pullingAnew",
        ]
        return try keys.flatMap { key in try lines(output, keys: [key]).map { "\(key): \($0)" } }
    }

    /// Returns the changes with their stamps, except the stamps of pending ones, which settling may change.
    private static func log(_ replica: String, _ programs: ProgramSet) throws -> [String] {
        let output = try programs.check("roost", "log", "--json", "--limit", "100000", replica)
        return try objects(output).filter { $0["event"] == nil }.map { entry in
            let isWaiting = (entry["waiting"] as? Bool) ?? false
            let keys = ["entity", "record", "kind", "waiting"] + (isWaiting ? [] : ["stamp", "device"])
            return text(entry, keys)
        }.sorted()
    }

    private static func usersOwn(_ replica: String) throws -> [String] {
        let names = try Programs.sql(
            replica, "SELECT type || ' ' || name FROM sqlite_schema WHERE name LIKE 'mine%' ORDER BY 1")
        guard !names.lines.isEmpty else { return [] }
        let rows = try Programs.sql(
            replica, "SELECT * FROM mine; SELECT * FROM mine_large; SELECT label, mine FROM tag")
        return names.lines + rows.lines.sorted()
    }

    // MARK: JSON

    private static func lines(_ output: Programs.Output, keys: [String]) throws -> [String] {
        try objects(output).map { text($0, keys) }.sorted()
    }

    private static func objects(_ output: Programs.Output) throws -> [[String: Any]] {
        try output.lines.map { line in
            try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:]
        }
    }

    private static func text(_ object: [String: Any], _ keys: [String]) -> String {
        let chosen = object.filter { keys.contains($0.key) && !($0.value is NSNull) }
        let data = try? JSONSerialization.data(withJSONObject: chosen, options: [.sortedKeys, .withoutEscapingSlashes])
        return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}

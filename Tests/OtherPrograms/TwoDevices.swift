import Foundation
import TestProcesses
import Testing

/// Two devices of one scope and their server, as real processes.
final class TwoDevices {
    let stage: Stage
    let first: Device
    let second: Device
    private let tables: [(String, [String])]

    /// - Parameter records: SQL that the first device runs; both devices have what it wrote.
    init(
        _ records: String = Trip.records, schema: String = Trip.schema,
        tables: [(String, [String])] = Trip.tables
    ) throws {
        self.tables = tables
        stage = try Stage()
        first = Device(path: try stage.makeScope(schema: schema))
        second = Device(path: try stage.join(first.path, as: "b.roost"))
        try first.write(records)
        try first.check("sync")
        try second.check("sync")
    }

    /// Synchronises both devices until neither has anything for the other: the second round brings what the first one decided.
    func synchronise() throws {
        for device in [first, second, first, second] { try device.check("sync") }
    }

    /// All visible records of a device, each value as an SQL literal. Text that is not plain ASCII is given by its bytes.
    func visible(_ device: Device) throws -> [String] {
        try device.rows(
            tables.map { table, columns in
                let cells = (["id"] + columns).map { column in
                    let name = "t.\"\(column)\""
                    return
                        "iif(typeof(\(name)) = 'text' and \(name) glob '*[^ -~]*', 'text '||hex(\(name)), quote(\(name)))"
                }
                return "select '\(table) '||\(cells.joined(separator: "||' '||")) from \"\(table)\" t order by t.id;"
            }.joined(separator: "\n"))
    }

    /// Expects that both devices and the server hold and show the same records after synchronising, and that nothing is pending.
    func expectAgreement(_ location: SourceLocation = #_sourceLocation) throws {
        try synchronise()
        let shown = try [first, second].map(visible)
        #expect(shown[0] == shown[1], sourceLocation: location)
        let server = try second.check("digest", "--server").standard.trimmingCharacters(in: .newlines)
        for device in [first, second] {
            let status = try device.check("status", "--json").standard
            #expect(status.contains("\"waiting\":0,"), "\(status)", sourceLocation: location)
            #expect(
                status.contains("\"digest\":\"\(server)\""), "\(status), the server's: \(server)",
                sourceLocation: location)
        }
        let output = try first.roost("check")
        #expect(output.status == 0, "\(output)", sourceLocation: location)
    }

    /// Expects both devices to answer a query alike, line by line.
    func expectBoth(_ query: String, _ lines: [String], _ location: SourceLocation = #_sourceLocation) throws {
        for (name, device) in [("the first device", first), ("the second device", second)] {
            let shown = try device.rows(query)
            #expect(shown == lines, "\(name)", sourceLocation: location)
        }
    }

    /// Expects that a text still exists on the first device: in a table, or in the journal.
    func expectKept(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
        let dump = try first.sql(".dump").standard
        #expect(dump.contains(text), sourceLocation: location)
    }
}

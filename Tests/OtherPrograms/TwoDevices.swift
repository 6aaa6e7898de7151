import TestProcesses
import Testing

/// Two devices of one scope and their server, as real processes.
final class TwoDevices {
    let stage: Stage
    let first: Device
    let second: Device
    private let tables: [(String, [String])]

    /// - Parameters:
    ///   - records: SQL that the first device runs. Both devices have its records afterwards.
    ///   - files: The names of the two files.
    ///   - options: Options of `roost init` and `roost join`.
    init(
        _ records: String = Trip.records, schema: String = Trip.schema,
        tables: [(String, [String])] = Trip.tables, files: [String] = ["a.roost", "b.roost"], options: [String] = []
    ) throws {
        self.tables = tables
        stage = try Stage()
        first = Device(path: try stage.makeScope(files[0], schema: schema, options: options))
        try first.write(records)
        try first.check("sync")
        second = Device(path: try stage.join(first.path, as: files[1], options: options))
    }

    /// Synchronises both devices until each has the earlier changes of the other one.
    func synchronise() throws {
        for device in [first, second, first] { try device.check("sync") }
    }

    /// Returns whether both devices hold equal records and have nothing pending. Each sync has compared its digest with the
    /// server's.
    private func isSettled() throws -> Bool {
        let statuses = try [first, second].map { try $0.check("status", "--json").standard }
        let digests = try statuses.map { $0.firstMatch(of: try Regex("\"digest\":\"[0-9a-f]+\""))?.output[0].substring }
        return digests[0] == digests[1] && statuses.allSatisfy { $0.contains("\"waiting\":0,") }
    }

    /// Returns all visible records of a device, each value as an SQL literal. Text that is not plain ASCII is given by its
    /// bytes.
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

    /// Expects that both devices hold and show the same records after synchronising, and that nothing is pending.
    func expectAgreement(_ location: SourceLocation = #_sourceLocation) throws {
        try synchronise()
        // The first device may have pushed changes that it decided on in the last sync.
        var agrees = try isSettled()
        if !agrees {
            for device in [second, first] { try device.check("sync") }
            agrees = try isSettled()
        }
        #expect(agrees, "Digests differ or changes are pending", sourceLocation: location)
        let shown = try [first, second].map(visible)
        #expect(shown[0] == shown[1], sourceLocation: location)
        let output = try first.roost("check")
        #expect(output.status == 0, "\(output)", sourceLocation: location)
    }

    /// Expects equal answers of both devices to a query, line by line.
    func expectBoth(_ query: String, _ lines: [String], _ location: SourceLocation = #_sourceLocation) throws {
        for (name, device) in [("the first device", first), ("the second device", second)] {
            let shown = try device.rows(query)
            #expect(shown == lines, "\(name)", sourceLocation: location)
        }
    }

    /// Expects that a text still exists on the first device: in a table, or in the journal.
    func expectKept(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
        let dump = try first.sql(".dump").standard
        // Unfit records are stored as blobs.
        let hex = text.utf8.map { String($0, radix: 16) }.joined()
        let isThere = dump.contains(text) || dump.contains(hex)
        #expect(isThere, sourceLocation: location)
    }
}

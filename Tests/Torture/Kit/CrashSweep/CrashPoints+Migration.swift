internal import Foundation
internal import TestProcesses

/// Crashes while a replica with pending changes is migrated to a later version of its schema.
extension CrashPoints {
    func migrationPoint(_ call: Int, _ place: String) throws -> Bool {
        try write(0)
        let version = try version(of: first) + 1
        let schema = torture.stage.path("version-\(version).json")
        try Data(TortureScope.schema(version: version).utf8).write(to: URL(filePath: schema))
        try control.arm(call, fault, counting: counted)
        let output = try Programs.run("roost", ["migrate", first, schema], environment: control.environment)
        let isMet = try disarm()
        check(output, isMet, place)
        try torture.audit(first, at: place)
        let left = try self.version(of: first)
        recorder.expect(
            left == version || (left == version - 1 && output.status != 0),
            "\(place): the version is \(left), expected \(version)"
        )
        if left != version {
            let again = try Programs.run("roost", ["migrate", first, schema])
            recorder.expect(again.status == 0, "\(place): what was left cannot be migrated: \(again)")
            try torture.audit(first, at: "\(place), migrated again")
        }
        try torture.syncCleanly(first, at: place)
        acknowledge(0)
        try checkAcknowledged(at: place)
        return isMet
    }

    private func version(of file: String) throws -> Int {
        let lines = try torture.sql(file, "SELECT value FROM roost_state WHERE name = 'schemaVersion';").lines
        return lines.first.flatMap { Int($0) } ?? 0
    }
}

extension TortureScope {
    /// Returns a later version. Each version has one more attribute, and every other one a different delete rule.
    static func schema(version: Int) -> String {
        let label = #"{"id": 1, "name": "label", "type": "string"}"#
        let notes = (2...max(version, 2)).map {
            #", {"id": \#(100 + $0), "name": "note\#($0)", "type": "string", "optional": true}"#
        }
        let text = schema.replacing(#""version": 1"#, with: "\"version\": \(version)").replacing(
            label, with: label + notes.joined())
        return version.isMultiple(of: 2) ? text.replacing("\"deny\"", with: "\"nullify\"") : text
    }
}

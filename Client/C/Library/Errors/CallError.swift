internal import RoostModel

/// The error of a call, as the error object of `roost.h` has it.
struct CallError: Error {
    let kind: ErrorKind
    /// A stable code, on which programs branch.
    let code: String
    let message: String
    /// The code of a server that has refused.
    var serverCode: String?
    /// A predicate with a mistake, and the column of the mistake, from 1.
    var predicate: (text: String, column: Int)?
    /// The causes, where there are several.
    var problems: [String] = []

    init(_ kind: ErrorKind, _ code: String, _ message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }

    /// The error object.
    var json: JSONValue {
        .members(
            ("kind", .string(kind.name)), ("code", .string(code)), ("message", .string(message)),
            ("next", .string(Self.steps[code] ?? kind.nextStep)), ("serverCode", serverCode.map { .string($0) }),
            ("text", predicate.map { .string($0.text) }), ("column", predicate.map { .integer($0.column) }),
            ("problems", problems.isEmpty ? nil : .array(problems.map { .string($0) })))
    }

    /// The next steps of codes that need another one than their class.
    private static let steps = [
        "exists": "Choose another path, or move the file away.",
        "corrupt": "Open it with \"repair\": true, or run \"roost repair\".",
        "newerFormat": "Update Roost on this device.",
        "diskFull": "Make room on the disk, and try again. Nothing was changed.",
        "schemaChanged": "Close the replica, and open it again.",
        "schemaTooOld": "Migrate the replica to the scope's schema.",
        "untrusted": "Check the server's certificate, and the clock of this device.",
        "incompatible": "Check that the address is that of a Roost server, and update Roost.",
        "notConnected": "Create a scope from the replica, or join one.",
        "blocked": "Read the status of the replica, and the journal.",
        "alreadyLive": "Use the session that runs, or stop it first.",
        "noMemory": "Free memory, and try again.",
    ]
}

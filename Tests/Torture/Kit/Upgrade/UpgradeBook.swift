internal import Foundation
internal import TestProcesses

/// An expense group of the earlier `cekikapeye`, with steps that can be undone, opened by the later one.
struct UpgradeBook {
    let programs: UpgradePrograms
    let recorder: Recorder

    private static let steps = [
        ["balances"], ["list"], ["undo"], ["list"], ["undo"], ["undo"], ["balances"], ["undelete"],
    ]

    func run() throws {
        let stage = try make()
        let image = try FolderImage(of: stage.folder)
        let expected = try play(stage, programs.earlier)
        try image.restore()
        let found = try play(stage, programs.later)
        for (step, (wanted, output)) in zip(Self.steps, zip(expected, found)) {
            recorder.expect(
                Self.members(of: wanted).allSatisfy { Self.members(of: output)[$0.key] == $0.value },
                "book: \(step.joined(separator: " ")) says \(output), the earlier program \(wanted)")
        }
        stage.programs = programs.later
        try stage.startServer()
        let sync = try cekikapeye(stage, programs.later, ["sync"])
        recorder.expect(sync.status == 0, "book: a sync fails: \(sync)")
    }

    /// Parses the members of an output, so that a later program may add some.
    private static func members(of output: String) -> [String: NSObject] {
        let object = try? JSONSerialization.jsonObject(with: Data(output.utf8))
        return object as? [String: NSObject] ?? ["": NSString(string: output)]
    }

    /// - Parameter folder: A folder to make the fixture in and to keep; `nil` for a temporary one.
    func make(in folder: URL? = nil) throws -> Stage {
        let stage = try Stage(programs.earlier, in: folder)
        defer { stage.server?.kill() }
        try check(
            stage, "new", "Trip", "Ana", "Bob", "--currency", "EUR", "--me", "Ana", "--file", stage.path("book.roost"),
            "--server", stage.address)
        try check(stage, "add", "42.50", "food")
        try check(stage, "sync")
        try check(stage, "add", "60", "fuel", "--by", "Bob")
        try check(stage, "edit", try identifier(stage, "food"), "--amount", "45")
        try check(stage, "person", "add", "Eva")
        try check(stage, "delete", try identifier(stage, "fuel"))
        return stage
    }

    private func check(_ stage: Stage, _ arguments: String...) throws {
        let output = try cekikapeye(stage, programs.earlier, arguments)
        guard output.status == 0 else {
            throw UnexpectedEnd(program: "cekikapeye", arguments: arguments, output: output)
        }
    }

    private func identifier(_ stage: Stage, _ content: String) throws -> String {
        let file = stage.path("book.roost")
        let text = try Programs.sql(file, "SELECT hex(id) FROM spending WHERE content = '\(content)'").lines.first ?? ""
        return String(text.lowercased().suffix(6))
    }

    /// - Returns: The standard output of each step.
    private func play(_ stage: Stage, _ set: ProgramSet) throws -> [String] {
        try Self.steps.map { step in
            let output = try cekikapeye(stage, set, step + ["--json"])
            recorder.expect(output.status == 0, "book: \(step.joined(separator: " ")) fails: \(output)")
            return output.standard
        }
    }

    private func cekikapeye(_ stage: Stage, _ set: ProgramSet, _ arguments: [String]) throws -> Programs.Output {
        try set.run(
            "cekikapeye", arguments,
            environment: [
                "CEKIKAPEYE_GROUP": stage.path("book.roost"), "XDG_CONFIG_HOME": stage.path("config"),
                "LC_ALL": "C.UTF-8", "ROOST_ADMIN_TOKEN": stage.adminToken,
            ])
    }
}

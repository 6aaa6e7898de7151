import Foundation
import TestProcesses
import Testing

/// protocol.md §12: the walk-through with curl runs verbatim.
@Suite struct WalkthroughTests {
    private var script: URL { Programs.repository.appending(path: "Examples/protocol/walkthrough.sh") }

    @Test func walkthroughRunsAgainstARealServer() throws {
        let stage = try Stage()
        let output = try Programs.run(
            "bash", [script.path], environment: ["ROOST_SERVER": stage.address, "ROOST_ADMIN_TOKEN": stage.adminToken])
        #expect(output.status == 0, "\(output)")
    }

    /// The document contains each command of the script.
    @Test func documentShowsTheCommandsOfTheScript() throws {
        let document = try String(contentsOf: Programs.repository.appending(path: "protocol.md"), encoding: .utf8)
        let commands = try String(contentsOf: script, encoding: .utf8).split(separator: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0.contains("curl ") && !$0.hasPrefix("#") }
        #expect(!commands.isEmpty)
        for command in commands { #expect(document.contains(command), "not in protocol.md: \(command)") }
    }
}

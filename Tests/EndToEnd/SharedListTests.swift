import Foundation
import TestProcesses
import Testing

/// The example that the article "Getting started" shows: one program, run on two devices.
@Suite(.serialized) struct SharedListTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// Starts the program. It writes its lines as soon as they are complete, as to a terminal.
    private func start(_ name: String, _ place: String, input: String? = nil) throws -> RunningProgram {
        try RunningProgram(
            "stdbuf", ["-oL", Programs.url("shared-list").path, stage.path(name), place], input: input,
            log: URL(filePath: stage.path("\(name).log")))
    }

    @Test(.timeLimit(.minutes(5))) func eachDeviceShowsWhatTheOtherAdds() throws {
        let ana = try start("ana.roost", stage.address, input: "\(stage.adminToken)\n")
        var link: Substring?
        let isShared = try eventually {
            link = ana.log.split(separator: "\n").first { $0.hasPrefix("http") && ana.log.contains("\n") }
            return link != nil || !ana.isRunning
        }
        #expect(isShared && ana.isRunning, "\(ana.log)")
        let bob = try start("bob.roost", String(try #require(link)))
        let both = "In Lisbon: \([stage.path("ana.roost"), stage.path("bob.roost")])"
        for program in [ana, bob] {
            #expect(try eventually { program.log.contains(both) || !program.isRunning })
            #expect(program.log.contains(both), "\(program.log)")
        }
        #expect(try eventually { ana.log.contains("\(both) by [") })
    }
}

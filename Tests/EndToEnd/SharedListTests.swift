import Foundation
import TestProcesses
import Testing

/// The example that the article "Getting started" shows: one program, run on two devices.
@Suite(.serialized) struct SharedListTests {
    private let stage: Stage

    init() throws { stage = try Stage() }

    /// Makes the scope, and returns a link for two devices.
    private func link() throws -> String {
        let file = Programs.repository.appending(path: "Examples/SharedList/spendings.schema.json")
        let lisbon = try stage.makeScope("lisbon.roost", schema: String(contentsOf: file, encoding: .utf8))
        return try #require(Programs.check("roost", "invite", lisbon, "--uses", "2").lines.first)
    }

    /// Starts the program. It writes its lines as soon as they are complete, as to a terminal.
    private func start(_ name: String, _ link: String) throws -> RunningProgram {
        try RunningProgram(
            "stdbuf", ["-oL", Programs.url("shared-list").path, stage.path(name), link],
            log: URL(filePath: stage.path("\(name).log")))
    }

    @Test(.timeLimit(.minutes(5))) func eachDeviceShowsWhatTheOtherAdds() throws {
        let link = try link()
        let ana = try start("ana.roost", link)
        let alone = "In Lisbon: \([stage.path("ana.roost")])"
        #expect(try eventually { ana.log.contains(alone) || !ana.isRunning })
        #expect(ana.log.contains(alone), "\(ana.log)")
        let bob = try start("bob.roost", link)
        let both = "In Lisbon: \([stage.path("ana.roost"), stage.path("bob.roost")])"
        for program in [ana, bob] {
            #expect(try eventually { program.log.contains(both) || !program.isRunning })
            #expect(program.log.contains(both), "\(program.log)")
        }
        try Programs.sql(stage.path("bob.roost"), "insert into person(name) values ('Carla')")
        for program in [ana, bob] {
            #expect(try eventually { program.log.contains("\"Carla\"") || !program.isRunning })
        }
    }
}

internal import ArgumentParser
internal import Foundation
internal import Torture

/// Makes the fixtures of the upgrade tests.
struct FixturesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fixtures", abstract: "Make replicas and server folders with the programs of an earlier commit.",
        discussion: """
            Needs the programs that scripts/earlier-programs builds.

            EXAMPLE
              roost-torture fixtures /tmp/fixtures
            """)

    @Argument(help: "A folder that is made.")
    var folder: String

    func run() throws {
        guard let programs = UpgradePrograms.found() else {
            throw ValidationError("The programs of the earlier commit are missing. Run scripts/earlier-programs first.")
        }
        guard !FileManager.default.fileExists(atPath: folder) else {
            throw ValidationError("Cannot make \"\(folder)\": it exists already. Name another folder.")
        }
        for line in try UpgradeFixtures.make(in: URL(filePath: folder), programs) {
            FileHandle.standardOutput.write(Data("\(line)\n".utf8))
        }
    }
}

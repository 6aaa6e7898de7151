internal import ArgumentParser
internal import Foundation

struct InitCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Make a folder with an empty database and an admin token.",
        discussion: """
            "serve" does the same with a folder that is new. In a folder that has an admin token and no database, or \
            a file in its place that holds nothing, it refuses to begin without data; this command does. Devices of the data that was there are not known to the new \
            database: they keep what they have and try again, and are let in once the data is back.

            EXAMPLES
              roost-server init --data /var/lib/roost

            EXIT STATUS
              0 done   64 wrong usage   74 there is a database, or the folder cannot be used
              75 another program holds the data
            """)

    @Option(help: "The folder that holds everything; made if it is not there.")
    var data = "./roost-server-data"

    func run() async throws {
        umask(0o077)
        try await Failure.reporting {
            do {
                let folder = try DataFolder.initialised(data)
                Console.write("made \(folder.databasePath)")
                Console.write("the admin token is in \(folder.adminTokenPath)")
            } catch let error as DataFolderError {
                throw Failure(error.description, error.status)
            }
        }
    }
}

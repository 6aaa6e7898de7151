internal import ArgumentParser
internal import Foundation

/// The options for a server, and the admin token with which a scope is created on it.
struct ServerOptions: ParsableArguments {
    @Option(name: .long, help: "A server to share the group through, such as https://roost.example.org.")
    var server: String?

    @Option(name: .long, help: "A file with the server's admin token; else ROOST_ADMIN_TOKEN.", completion: .file())
    var adminTokenFile: String?

    /// Reads the admin token. There is no flag for the token itself, since flags are visible in the list of processes.
    ///
    /// - Throws: ``CommandError/adminTokenNeeded`` if none is given; ``CommandError/noToken(_:)`` if the file contains none.
    func adminToken(_ context: CommandContext) throws(CommandError) -> String {
        if let adminTokenFile {
            let token = String(decoding: try context.bytes(ofFile: adminTokenFile), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            // The token becomes the value of a header.
            let isLine = token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            guard isLine, !token.isEmpty else { throw .noToken(adminTokenFile) }
            return token
        }
        guard let token = context.environment.variable("ROOST_ADMIN_TOKEN") else { throw .adminTokenNeeded }
        return token
    }
}

internal import ArgumentParser
internal import Foundation

/// A server and the secret that lets a group be made there.
struct ServerOptions: ParsableArguments {
    @Option(name: .long, help: "A server to share the group through, such as https://roost.example.org.")
    var server: String?

    @Option(name: .long, help: "A file with the server's admin token; else ROOST_ADMIN_TOKEN.", completion: .file())
    var adminTokenFile: String?

    /// The admin token; never a flag, since flags show in the list of processes.
    ///
    /// - Throws: ``CommandError/adminTokenNeeded`` where none is given.
    func adminToken(_ context: CommandContext) throws(CommandError) -> String {
        if let adminTokenFile {
            let token = String(decoding: try context.bytes(ofFile: adminTokenFile), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            // It becomes the value of a header.
            let isLine = token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            guard isLine, !token.isEmpty else { throw .noToken(adminTokenFile) }
            return token
        }
        guard let token = context.environment.variable("ROOST_ADMIN_TOKEN") else { throw .adminTokenNeeded }
        return token
    }
}

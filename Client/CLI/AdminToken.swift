internal import ArgumentParser
internal import Foundation
internal import Roost
internal import RoostModel

/// The source of the server's admin token. There is no flag for the token itself, since other users of the machine
/// can read flags.
struct AdminTokenOptions: ParsableArguments {
    @Option(help: "A file with the server's admin token; else the environment's ROOST_ADMIN_TOKEN.")
    var adminTokenFile: String?

    func token() throws -> String {
        if let adminTokenFile {
            guard let text = try? String(contentsOfFile: adminTokenFile, encoding: .utf8) else {
                throw RoostError(
                    .invalidArgument,
                    "Cannot read the admin token: there is no file \"\(adminTokenFile)\". The server says at its first start where it is."
                )
            }
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        guard let token = ProcessInfo.processInfo.environment["ROOST_ADMIN_TOKEN"], !token.isEmpty else {
            throw RoostError(
                .invalidArgument,
                "Cannot make a scope: the server's admin token is needed. Name its file with --admin-token-file, or set ROOST_ADMIN_TOKEN."
            )
        }
        return token
    }
}

/// Returns the name under which other devices see this one.
func defaultDeviceName() -> String {
    ProcessInfo.processInfo.hostName.parts(at: ".").first ?? "device"
}

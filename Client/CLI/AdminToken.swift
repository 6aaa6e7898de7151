internal import ArgumentParser
internal import Foundation
internal import Roost
internal import RoostModel

/// Where the server's admin token comes from: never from a flag, which other users of the machine can read.
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

/// The name that others see this device by.
func defaultDeviceName() -> String {
    ProcessInfo.processInfo.hostName.parts(at: ".").first ?? "device"
}

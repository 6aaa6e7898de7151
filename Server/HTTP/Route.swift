internal import NIOHTTP1
internal import RoostProtocol

/// The operation of a request, by its method and path (protocol.md §5).
enum Route: Hashable, Sendable {
    case health
    case version
    case createScope
    case join
    case createInvite
    case listInvites
    case revokeInvite(id: String)
    case listDevices
    case revokeDevice(id: String)
    case setRole(id: String)
    case me
    case rotateToken
    case knownToken
    case readSchema
    case publishSchema
    case push
    case pushReply
    case pull
    case recover
    case digest
    case renew

    /// Finds the route of a request.
    ///
    /// - Throws: ``ErrorCode/notFound`` for an unknown path, ``ErrorCode/methodNotAllowed`` for a known one.
    init(_ method: HTTPMethod, path: Substring) throws(ProtocolError) {
        guard path.hasPrefix("/v1/"), let routes = Self.routes(path.dropFirst(4)) else {
            throw ProtocolError(.notFound, "Cannot find this path. See protocol.md for the ones there are.")
        }
        guard let route = routes.first(where: { $0.method == method })?.route else {
            throw ProtocolError(.methodNotAllowed, "Cannot do this with the path's method. Use \(Self.names(routes)).")
        }
        self = route
    }

    /// Returns the methods of a path; `nil` for an unknown path.
    static func methods(of path: Substring) -> String? {
        path.hasPrefix("/v1/") ? routes(path.dropFirst(4)).map(names) : nil
    }

    private static func names(_ routes: [(method: HTTPMethod, route: Route)]) -> String {
        routes.map(\.method.rawValue).joined(separator: ", ")
    }

    private static func routes(_ path: Substring) -> [(method: HTTPMethod, route: Route)]? {
        switch path {
        case "push": return [(.POST, .push), (.GET, .pushReply)]
        case "pull": return [(.GET, .pull)]
        case "recover": return [(.POST, .recover)]
        case "health": return [(.GET, .health)]
        case "version": return [(.GET, .version)]
        case "scopes": return [(.POST, .createScope)]
        case "join": return [(.POST, .join)]
        case "invites": return [(.GET, .listInvites), (.POST, .createInvite)]
        case "devices": return [(.GET, .listDevices)]
        case "me": return [(.GET, .me)]
        case "token/rotate": return [(.POST, .rotateToken)]
        case "token/known": return [(.POST, .knownToken)]
        case "schema": return [(.GET, .readSchema), (.PUT, .publishSchema)]
        case "digest": return [(.GET, .digest)]
        case "replica/renew": return [(.POST, .renew)]
        default: return named(path)
        }
    }

    private static func named(_ path: Substring) -> [(method: HTTPMethod, route: Route)]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 2, !parts[1].isEmpty else { return nil }
        let id = String(parts[1])
        switch (parts[0], parts.count, parts.last) {
        case ("invites", 2, _): return [(.DELETE, .revokeInvite(id: id))]
        case ("devices", 3, "revoke"): return [(.POST, .revokeDevice(id: id))]
        case ("devices", 3, "role"): return [(.POST, .setRole(id: id))]
        default: return nil
        }
    }
}

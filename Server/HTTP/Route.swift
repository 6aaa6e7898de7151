internal import HTTPTypes
internal import RoostProtocol

/// What a request asks for, by its method and path (protocol.md §5).
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
    case readSchema
    case publishSchema
    case push
    case pull
    case recover
    case digest
    case renew

    /// - Throws: ``ErrorCode/notFound`` for an unknown path, ``ErrorCode/methodNotAllowed`` for a known one.
    init(_ method: HTTPRequest.Method, path: Substring) throws(ProtocolError) {
        guard path.hasPrefix("/v1/"), let routes = Self.routes(path.dropFirst(4)) else {
            throw ProtocolError(.notFound, "Cannot find this path. See protocol.md for the ones there are.")
        }
        guard let route = routes.first(where: { $0.method == method })?.route else {
            let allowed = routes.map(\.method.rawValue).joined(separator: ", ")
            throw ProtocolError(.methodNotAllowed, "Cannot do this with the path's method. Use \(allowed).")
        }
        self = route
    }

    private static func routes(_ path: Substring) -> [(method: HTTPRequest.Method, route: Route)]? {
        switch path {
        case "push": return [(.post, .push)]
        case "pull": return [(.get, .pull)]
        case "recover": return [(.post, .recover)]
        case "health": return [(.get, .health)]
        case "version": return [(.get, .version)]
        case "scopes": return [(.post, .createScope)]
        case "join": return [(.post, .join)]
        case "invites": return [(.get, .listInvites), (.post, .createInvite)]
        case "devices": return [(.get, .listDevices)]
        case "me": return [(.get, .me)]
        case "token/rotate": return [(.post, .rotateToken)]
        case "schema": return [(.get, .readSchema), (.put, .publishSchema)]
        case "digest": return [(.get, .digest)]
        case "replica/renew": return [(.post, .renew)]
        default: return named(path)
        }
    }

    private static func named(_ path: Substring) -> [(method: HTTPRequest.Method, route: Route)]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 2, !parts[1].isEmpty else { return nil }
        let id = String(parts[1])
        switch (parts[0], parts.count, parts.last) {
        case ("invites", 2, _): return [(.delete, .revokeInvite(id: id))]
        case ("devices", 3, "revoke"): return [(.post, .revokeDevice(id: id))]
        case ("devices", 3, "role"): return [(.post, .setRole(id: id))]
        default: return nil
        }
    }
}

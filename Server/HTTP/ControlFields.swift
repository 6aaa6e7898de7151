internal import RoostModel
internal import RoostProtocol
internal import RoostService

/// Reads the members of a control message's body.
extension JSONValue {
    func text(_ name: String) throws(ProtocolError) -> String {
        guard let text = self[name]?.stringValue else {
            throw ProtocolError(.badRequest, "Cannot read the body: \"\(name)\" is \(found(name)), expected a string.")
        }
        return text
    }

    func number(_ name: String) throws(ProtocolError) -> Int? {
        guard let value = self[name], value != .null else { return nil }
        guard let number = value.integerValue.flatMap({ Int(exactly: $0) }) else {
            throw ProtocolError(
                .badRequest, "Cannot read the body: \"\(name)\" is \(value.kindName), expected a whole number.")
        }
        return number
    }

    func scope(_ name: String) throws(ProtocolError) -> ScopeID? {
        guard let value = self[name], value != .null else { return nil }
        guard let scope = ScopeID(try text(name)) else {
            throw ProtocolError(.badRequest, "Cannot read the body: \"\(name)\" is no UUID of a scope.")
        }
        return scope
    }

    /// Reads a device token that the client has made.
    func token(_ name: String) throws(ProtocolError) -> Token {
        guard let token = Token(try text(name)), token.kind == .device else {
            throw ProtocolError(.badRequest, "Cannot read the body: \"\(name)\" is no device token.")
        }
        return token
    }

    /// Reads SHA-256 hashes of device tokens, in hexadecimal digits.
    func hashes(_ name: String, countMax: Int) throws(ProtocolError) -> [TokenHash] {
        let texts = (self[name]?.arrayValue ?? []).map { $0.stringValue ?? "" }
        guard (1...countMax).contains(texts.count) else {
            throw ProtocolError(
                .badRequest, "Cannot read the body: \"\(name)\" has to be an array of 1 to \(countMax) strings.")
        }
        var hashes: [TokenHash] = []
        for text in texts {
            guard let bytes = SHA256Digest.decode(text) else {
                throw ProtocolError(
                    .badRequest, "Cannot read the body: \"\(name)\" has what is no 64 hexadecimal digits.")
            }
            hashes.append(TokenHash(bytes: bytes))
        }
        return hashes
    }

    func role(_ name: String) throws(ProtocolError) -> Role {
        guard let role = Role(foreign: try text(name)) else {
            let names = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw ProtocolError(.badRequest, "Cannot read the body: \"\(name)\" is no role. The roles are \(names).")
        }
        return role
    }

    private func found(_ name: String) -> String { self[name]?.kindName ?? "missing" }
}

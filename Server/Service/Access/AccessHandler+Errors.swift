package import RoostProtocol

extension AccessHandler {
    package static let revoked = ProtocolError(
        .revoked, "Cannot go on: this device's access was taken away. Ask an owner for a new invite.")
    package static let unauthorized = ProtocolError(
        .unauthorized,
        "Cannot tell who asks: the token is missing, not known or expired. Send it as \"Authorization: Bearer\".")
}

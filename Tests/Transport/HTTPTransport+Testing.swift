import Transport

extension HTTPTransport {
    /// Makes a transport to a server on this machine.
    convenience init(port: UInt16, _ configuration: TransportConfiguration = TransportConfiguration()) throws {
        try self.init(to: ServerAddress("http://127.0.0.1:\(port)"), configuration)
    }

    /// Returns the error with which `request` fails; `nil` if it succeeds.
    func failure(of request: HTTPRequest) async -> TransportError? {
        do throws(TransportError) {
            _ = try await send(request)
            return nil
        } catch {
            return error
        }
    }
}

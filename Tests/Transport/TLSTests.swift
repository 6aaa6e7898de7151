import Testing
import Transport

@Suite(.enabled(if: TLSServer.isAvailable)) struct TLSTests {
    @Test func ownAuthorityIsTrustedWhenNamed() async throws {
        let server = try TLSServer()
        var configuration = TransportConfiguration()
        configuration.authoritiesFile = server.certificateFile
        let transport = try HTTPTransport(to: ServerAddress("https://127.0.0.1:\(server.port)"), configuration)
        #expect(try await transport.send(HTTPRequest(.get, "/")).status == 200)
    }

    @Test func unknownAuthorityIsNotTrusted() async throws {
        let server = try TLSServer()
        let transport = try HTTPTransport(to: ServerAddress("https://127.0.0.1:\(server.port)"))
        #expect(await transport.failure(of: HTTPRequest(.get, "/"))?.cause == .tlsUntrusted)
    }

    @Test func certificateOfAnotherHostIsNotTrusted() async throws {
        let server = try TLSServer()
        var configuration = TransportConfiguration()
        configuration.authoritiesFile = server.certificateFile
        let transport = try HTTPTransport(to: ServerAddress("https://localhost:\(server.port)"), configuration)
        #expect(await transport.failure(of: HTTPRequest(.get, "/"))?.cause == .tlsUntrusted)
    }

    @Test func missingAuthoritiesFileTrustsNobody() async throws {
        let server = try TLSServer()
        var configuration = TransportConfiguration()
        configuration.authoritiesFile = "/no/such/file.pem"
        let transport = try HTTPTransport(to: ServerAddress("https://127.0.0.1:\(server.port)"), configuration)
        #expect(await transport.failure(of: HTTPRequest(.get, "/"))?.cause == .tlsUntrusted)
    }

    @Test func oldTLSIsRefused() async throws {
        let server = try TLSServer(arguments: ["-tls1_1", "-cipher", "DEFAULT:@SECLEVEL=0"])
        var configuration = TransportConfiguration()
        configuration.authoritiesFile = server.certificateFile
        let transport = try HTTPTransport(to: ServerAddress("https://127.0.0.1:\(server.port)"), configuration)
        #expect(await transport.failure(of: HTTPRequest(.get, "/"))?.cause == .handshakeFailed)
    }

    /// A certificate of a trusted authority is accepted while it is valid and its signature cannot be forged.
    @Test(arguments: [(["-days", "2"], true), (["-days", "-1"], false), (["-days", "2", "-sha1"], false)])
    func certificateIsValidAndWellSigned(leaf: [String], isTrusted: Bool) async throws {
        let server = try TLSServer(arguments: ["-cipher", "DEFAULT:@SECLEVEL=0"], leaf: leaf)
        var configuration = TransportConfiguration()
        configuration.authoritiesFile = server.certificateFile
        let transport = try HTTPTransport(to: ServerAddress("https://127.0.0.1:\(server.port)"), configuration)
        if isTrusted {
            #expect(try await transport.send(HTTPRequest(.get, "/")).status == 200)
        } else {
            #expect(await transport.failure(of: HTTPRequest(.get, "/"))?.cause == .tlsUntrusted)
        }
    }
}

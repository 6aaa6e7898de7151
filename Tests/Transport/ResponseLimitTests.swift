import Foundation
import TestLoopback
import Testing
import Transport

/// The limit of a response's size counts decompressed bytes.
@Suite struct ResponseLimitTests {
    /// 200,000 zeros.
    static let bombs = [
        (
            "gzip",
            "H4sIAAAAAAACA+3BMQEAAADCoPVPbQZ/oAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                + "AAAAAAAAAAAAAAAAAAAACA1wB7WOBcQA0DAA=="
        ),
        ("zstd", "KLUv/aBADQMATAAACAABAPz/ORACA2oIAA=="),
    ]
    /// The text "roost".
    static let texts = [
        ("gzip", "H4sIAAAAAAACAyvKzy8uAQDqsIQ2BQAAAA=="),
        ("zstd", "KLUv/SAFKQAAcm9vc3Q="),
    ]

    @Test(arguments: bombs)
    func compressedBodyIsCountedAsDecompressed(encoding: String, body: String) async throws {
        let server = try serving(encoding, body)
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let refused = await transport.failure(of: HTTPRequest(.get, "/", responseBytesMax: 199_999))
        #expect(refused?.cause == .responseTooLarge)
        let response = try await transport.send(HTTPRequest(.get, "/", responseBytesMax: 200_000))
        #expect(response.body == [UInt8](repeating: 0, count: 200_000))
    }

    @Test(arguments: texts)
    func compressedBodyIsDecompressed(encoding: String, body: String) async throws {
        let server = try serving(encoding, body)
        defer { server.close() }
        let response = try await HTTPTransport(port: server.port).send(HTTPRequest(.get, "/"))
        #expect(response.body == Array("roost".utf8))
    }

    @Test func bodyOfKnownLengthOverTheLimitIsRefused() async throws {
        let server = try LoopbackServer(answering: String(repeating: "x", count: 1001))
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let error = await transport.failure(of: HTTPRequest(.get, "/", responseBytesMax: 1000))
        #expect(error?.cause == .responseTooLarge)
        #expect(error?.description.contains("1000 bytes") ?? false)
    }

    @Test func endlessChunkedBodyIsRefused() async throws {
        let server = try LoopbackServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<100 { connection.send("400\r\n" + String(repeating: "x", count: 1024) + "\r\n") }
            connection.waitUntilClosed()
            return .close
        }
        defer { server.close() }
        let transport = try HTTPTransport(port: server.port)
        let error = await transport.failure(of: HTTPRequest(.get, "/", responseBytesMax: 64 * 1024))
        #expect(error?.cause == .responseTooLarge)
    }

    @Test func endlessHeadersAreRefused() async throws {
        let server = try LoopbackServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\n")
            for number in 0..<200 { connection.send("X-\(number): " + String(repeating: "x", count: 1000) + "\r\n") }
            connection.waitUntilClosed()
            return .close
        }
        defer { server.close() }
        let error = try await HTTPTransport(port: server.port).failure(of: HTTPRequest(.get, "/"))
        #expect(error?.cause == .responseTooLarge)
    }

    @Test(arguments: ["gzip", "zstd"])
    func bodyThatIsNotInItsEncodingIsMalformed(encoding: String) async throws {
        let server = try serving(encoding, Data("plain text, not compressed".utf8).base64EncodedString())
        defer { server.close() }
        let error = try await HTTPTransport(port: server.port).failure(of: HTTPRequest(.get, "/"))
        #expect(error?.cause == .malformedResponse)
    }

    private func serving(_ encoding: String, _ base64: String) throws -> LoopbackServer {
        let body = Array(try #require(Data(base64Encoded: base64)))
        return try LoopbackServer { _, connection in
            connection.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(body)
            return .keep
        }
    }
}

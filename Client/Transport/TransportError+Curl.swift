internal import CCurl

extension TransportError {
    /// Translates a `CURLcode` for a request to `server`.
    init(_ code: CURLcode, text: String, excess: PartialResponse.Excess? = nil, server: ServerAddress) {
        let underlying = Underlying(code: Int(code.rawValue), text: text)
        if let excess {
            self = Self.tooLarge(excess)
            return
        }
        let (cause, reason, cure) = Self.explain(code, server)
        self.init(cause, reason, cure: cure, underlying: underlying)
    }

    private static func tooLarge(_ excess: PartialResponse.Excess) -> TransportError {
        let reason =
            switch excess {
            case .body(let bytesMax): "the response's body is over \(bytesMax) bytes after decompression"
            case .headers(let bytesMax): "the response's headers are over \(bytesMax) bytes"
            }
        return TransportError(.responseTooLarge, reason, cure: "Check that the address is a Roost server's")
    }

    private static func explain(_ code: CURLcode, _ server: ServerAddress) -> (Cause, String, String) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_INTERFACE_FAILED,
            CURLE_PROXY:
            (.unreachable, "\"\(server)\" cannot be reached", "Check the network, the address and that the server runs")
        case CURLE_OPERATION_TIMEDOUT:
            (.timedOut, "\"\(server)\" did not answer in time", "Check the network and try again later")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CRL_BADFILE:
            (
                .tlsUntrusted, "the certificate of \"\(server)\" is not trusted",
                "Ask who runs the server; with a certificate of your own, name its CA file"
            )
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
            (
                .handshakeFailed, "\"\(server)\" opened no TLS session",
                "Check the port and that it speaks TLS 1.2 or later"
            )
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR:
            (
                .malformedResponse, "\"\(server)\" sent no valid HTTP response",
                "Check that the address is a Roost server's"
            )
        case CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT:
            (.invalidRequest, "its URL cannot be read", "Correct the path")
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION,
            CURLE_SSL_ENGINE_NOTFOUND:
            (.exhausted, "libcurl lacks memory or a feature", "Check memory, open files and the libcurl version")
        default:
            // The remaining codes (52, 55, 56, 18, …) occur on a connection that was open.
            (.connectionLost, "the connection to \"\(server)\" was lost", "Try again later")
        }
    }
}

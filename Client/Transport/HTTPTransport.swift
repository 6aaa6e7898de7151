internal import CCurl
internal import Foundation
internal import Synchronization

/// Sends requests to one server over connections that it keeps open: bytes out, bytes in.
///
/// One thread runs every transfer (libcurl's multi interface). No redirect is followed, no proxy, cookie or credential is
/// taken from the surroundings, and only the server's own scheme is spoken. libcurl repeats a request once by itself if a
/// kept connection turns out to be dead before a byte of the response came; so send only what may arrive twice.
package final class HTTPTransport: Sendable {
    package let server: ServerAddress
    /// Runs an actor or a task on the transport's thread; who uses it must hold the transport.
    package let executor: LoopExecutor
    private let mailbox: Mailbox
    private let lastID = Atomic<UInt64>(0)

    /// libcurl's global state, set up once in a process.
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Starts the thread; a connection is opened by the first request.
    ///
    /// - Throws: ``TransportError/Cause/exhausted``.
    package init(
        to server: ServerAddress, _ configuration: TransportConfiguration = TransportConfiguration()
    ) throws(TransportError) {
        guard Self.isLibraryReady, let multi = curl_multi_init() else {
            throw TransportError(CURLE_FAILED_INIT, text: "curl_multi_init", server: server)
        }
        // Without descriptors for it, libcurl goes on without a way to be woken, and requests would wait for ever.
        guard curl_multi_wakeup(multi) == CURLM_OK else {
            curl_multi_cleanup(multi)
            throw TransportError(
                .exhausted, "this process may not open more files", cure: "Close some, or raise the limit (ulimit -n)")
        }
        let connectionsMax = configuration.connectionsMax
        guard ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connectionsMax) == CURLM_OK,
            ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, connectionsMax) == CURLM_OK
        else {
            curl_multi_cleanup(multi)
            throw TransportError(CURLE_UNKNOWN_OPTION, text: "curl_multi_setopt", server: server)
        }
        self.server = server
        mailbox = Mailbox(waking: multi)
        executor = LoopExecutor(mailbox)
        Self.startThread(server, configuration, mailbox, LoopOwnership(multi: multi))
    }

    deinit {
        mailbox.close()
    }

    /// Whether it takes requests: not after ``shutdown()``, nor once libcurl could not go on.
    var isOpen: Bool { mailbox.isOpen }

    /// Sends `request` and waits for the whole response, whatever its status.
    ///
    /// Cancelling the task ends the transfer at once and closes its connection; a cancelled task sends nothing.
    ///
    /// - Throws: ``TransportError``; after ``TransportError/Cause/timedOut``, ``TransportError/Cause/connectionLost`` and
    ///   ``TransportError/Cause/cancelled`` the server may have done what was asked.
    nonisolated(nonsending) package func send(
        _ request: HTTPRequest
    ) async throws(TransportError) -> HTTPResponse {
        try await send(request, nil)
    }

    /// Begins a POST before its body is known, in chunks (RFC 9112 §7.1): its connection is opened meanwhile. A body that never
    /// comes is not waited for longer than the request's timeout.
    ///
    /// - Throws: As ``send(_:)``.
    nonisolated(nonsending) package func send(
        _ request: HTTPRequest, awaiting body: PendingBody
    ) async throws(TransportError) -> HTTPResponse {
        defer { body.end() }
        guard request.method == .post, request.body.isEmpty else {
            throw .invalidRequest("only the body of a POST may follow it", cure: "Send the body with the request")
        }
        return try await send(request, body)
    }

    nonisolated(nonsending) private func send(
        _ request: HTTPRequest, _ body: PendingBody?
    ) async throws(TransportError) -> HTTPResponse {
        try request.validate()
        guard !Task.isCancelled else { throw .cancelled }
        let id = RequestID(rawValue: lastID.add(1, ordering: .relaxed).newValue)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { reply in
                mailbox.post(.start(id, request, body, reply))
                body?.whenKnown { [mailbox] in mailbox.post(.goOn(id)) }
                // A cancellation before the line above found nothing to cancel.
                if Task.isCancelled { mailbox.post(.cancel(id)) }
            }
        } onCancel: {
            mailbox.post(.cancel(id))
        }
        return try result.get()
    }

    /// Ends every request as ``TransportError/Cause/shutDown``, closes the connections and waits for the thread to be
    /// done with them. Later requests end the same way; calling it again does nothing.
    package func shutdown() async {
        await withCheckedContinuation { mailbox.close($0) }
    }

    private static func startThread(
        _ server: ServerAddress, _ configuration: TransportConfiguration, _ mailbox: Mailbox, _ ownership: LoopOwnership
    ) {
        let thread = Thread {
            var loop = CurlLoop(to: server, configuration, mailbox, ownership.multi)
            loop.run()
        }
        thread.name = "roost.transport"
        thread.start()
    }
}

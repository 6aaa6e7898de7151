internal import CCurl
internal import Foundation
internal import Synchronization

/// An HTTP client for one server, whose connections stay open between requests.
///
/// One thread runs every transfer (libcurl's multi interface). The transport follows no redirect, takes no proxy,
/// cookie or credential from its environment, and uses only the scheme of the server's address. libcurl repeats a
/// request once if a kept connection turns out to be closed before a byte of the response has arrived. Callers
/// must therefore only send requests that may arrive twice.
package final class HTTPTransport: Sendable {
    package let server: ServerAddress
    /// The executor that runs an actor or a task on the transport's thread. Its users must keep a reference to the transport.
    package let executor: LoopExecutor
    private let mailbox: Mailbox
    private let lastID = Atomic<UInt64>(0)

    /// Whether libcurl's global state was set up; this happens once per process.
    private static let isLibraryReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Starts the thread. The first request opens a connection.
    ///
    /// - Throws: ``TransportError/Cause/exhausted``.
    package init(
        to server: ServerAddress, _ configuration: TransportConfiguration = TransportConfiguration()
    ) throws(TransportError) {
        guard Self.isLibraryReady, let multi = curl_multi_init() else {
            throw TransportError(CURLE_FAILED_INIT, text: "curl_multi_init", server: server)
        }
        // Without file descriptors for it, libcurl continues with no way to be woken, and requests would wait for ever.
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

    /// Whether the transport accepts requests. It does not after ``shutdown()``, nor after libcurl has failed.
    var isOpen: Bool { mailbox.isOpen }

    /// Sends `request` and waits for the complete response, whatever its status.
    ///
    /// Cancelling the task ends the transfer immediately and closes its connection; a cancelled task sends nothing.
    ///
    /// - Throws: ``TransportError``; after ``TransportError/Cause/timedOut``, ``TransportError/Cause/connectionLost``
    ///   and ``TransportError/Cause/cancelled`` the server may have handled the request.
    nonisolated(nonsending) package func send(
        _ request: HTTPRequest
    ) async throws(TransportError) -> HTTPResponse {
        try await send(request, nil)
    }

    /// Starts a POST before its body is known; the body is sent in chunks (RFC 9112 §7.1). The connection is opened
    /// in the meantime. The wait for the body is limited by the request's timeout.
    ///
    /// - Throws: ``TransportError``, as ``send(_:)`` does.
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
                // A cancellation before the line above found no request to cancel.
                if Task.isCancelled { mailbox.post(.cancel(id)) }
            }
        } onCancel: {
            mailbox.post(.cancel(id))
        }
        return try result.get()
    }

    /// Ends every request with ``TransportError/Cause/shutDown``, closes the connections, and waits until the thread
    /// has released them. Later requests end with ``TransportError/Cause/shutDown`` too. The function is idempotent.
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

internal import CCurl

/// The transfers of one transport and libcurl's multi handle. The loop stays on one thread, from ``run()`` to its end.
struct CurlLoop {
    private struct Running {
        let id: RequestID
        let transfer: Transfer
        let reply: Mailbox.Reply
    }

    /// The maximum number of easy handles kept for later requests.
    private static let restingMax = 8
    /// The longest wait, in milliseconds. libcurl shortens it to its own next deadline.
    private static let pollMilliseconds: Int32 = 60_000

    private let server: ServerAddress
    private let configuration: TransportConfiguration
    private let mailbox: Mailbox
    private let multi: OpaquePointer
    private var running: [OpaquePointer: Running] = [:]
    private var handles: [RequestID: OpaquePointer] = [:]
    private var resting: [Transfer] = []
    /// Whether libcurl has not yet processed a request, or the rest of one.
    private var hasUnsent = false
    /// The number of consecutive turns in which jobs delayed the transfers, and its maximum.
    private var timesHeld = 0
    private static let timesHeldMax = 16

    /// Takes ownership of `multi`, which ``run()`` frees.
    init(
        to server: ServerAddress, _ configuration: TransportConfiguration, _ mailbox: Mailbox, _ multi: OpaquePointer
    ) {
        self.server = server
        self.configuration = configuration
        self.mailbox = mailbox
        self.multi = multi
    }

    /// Serves the mailbox until it closes.
    mutating func run() {
        mailbox.beginLoop()
        var isClosing = false
        while !isClosing {
            let batch = mailbox.take()
            for command in batch.commands { obey(command) }
            isClosing = batch.isClosing || !turn()
        }
        // From here on the mailbox answers new requests itself. Requests already in it are answered below.
        mailbox.close()
        for easy in Array(running.keys) { finish(easy, with: .failure(.shutDown)) }
        var closers = mailbox.end()
        while closers == nil {
            for command in mailbox.take().commands { refuse(command) }
            closers = mailbox.end()
        }
        resting = []
        curl_multi_cleanup(multi)
        for closer in closers ?? [] { closer.resume() }
    }

    private func refuse(_ command: Mailbox.Command) {
        switch command {
        case .start(_, _, _, let reply): reply.resume(returning: .failure(.shutDown))
        case .run(let job, let executor): executor.run(job)
        case .cancel, .goOn: break
        }
    }

    /// Lets libcurl do what it can, answers completed requests, and waits for the next event.
    ///
    /// - Returns: Whether libcurl can continue; it cannot if it lacks memory.
    private mutating func turn() -> Bool {
        // One job mostly leads to the next: a page, for instance, to the next request. libcurl polls every socket each
        // time it runs, so it runs once for several jobs.
        if timesHeld < Self.timesHeldMax, !mailbox.isEmpty {
            timesHeld += 1
            return true
        }
        timesHeld = 0
        guard perform() else { return false }
        var code = CURLE_OK
        while let easy = ccurl_next_finished(multi, &code) {
            guard let transfer = running[easy]?.transfer else { continue }
            finish(easy, with: transfer.result(code))
        }
        // A command posted by this thread has not woken the loop.
        guard mailbox.isEmpty else { return true }
        return curl_multi_poll(multi, nil, 0, Self.pollMilliseconds, nil) == CURLM_OK
    }

    private mutating func perform() -> Bool {
        hasUnsent = false
        var count: Int32 = 0
        return curl_multi_perform(multi, &count) == CURLM_OK
    }

    private mutating func obey(_ command: Mailbox.Command) {
        switch command {
        case .start(let id, let request, let body, let reply):
            do throws(TransportError) {
                try start(request, body, id, reply)
            } catch {
                reply.resume(returning: .failure(error))
            }
        case .goOn(let id):
            guard let easy = handles[id], let transfer = running[easy]?.transfer else { return }
            transfer.goOn()
            hasUnsent = true
        case .cancel(let id):
            if let easy = handles[id] { finish(easy, with: .failure(.cancelled)) }
        case .run(let job, let executor):
            // A job may take long, so earlier requests are sent first. The next turn detects a failure.
            if hasUnsent { _ = perform() }
            executor.run(job)
        }
    }

    private mutating func start(
        _ request: HTTPRequest, _ body: PendingBody?, _ id: RequestID, _ reply: Mailbox.Reply
    ) throws(TransportError) {
        guard running.count < configuration.requestsMax else {
            throw TransportError(
                .exhausted, "\(configuration.requestsMax) requests are under way", cure: "Wait for some of them")
        }
        let transfer = if let rested = resting.popLast() { rested } else { try Transfer(to: server, configuration) }
        try transfer.prepare(request, awaiting: body)
        guard curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
            throw TransportError(CURLE_OUT_OF_MEMORY, text: "curl_multi_add_handle", server: server)
        }
        hasUnsent = true
        running[transfer.easy] = Running(id: id, transfer: transfer, reply: reply)
        handles[id] = transfer.easy
    }

    /// Removes a transfer from libcurl, which closes the connection of an incomplete one, and answers the transfer's request.
    private mutating func finish(_ easy: OpaquePointer, with result: Result<HTTPResponse, TransportError>) {
        guard let ended = running.removeValue(forKey: easy) else { return }
        handles[ended.id] = nil
        curl_multi_remove_handle(multi, easy)
        ended.reply.resume(returning: result)
        ended.transfer.rest()
        if resting.count < Self.restingMax { resting.append(ended.transfer) }
    }
}

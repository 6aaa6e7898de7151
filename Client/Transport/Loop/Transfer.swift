internal import CCurl

/// An easy handle and the response that it receives. It is reused for successive requests, on the loop's thread only.
final class Transfer {
    let easy: OpaquePointer
    private let server: ServerAddress
    private let configuration: TransportConfiguration
    /// The buffer for libcurl's error text: `CURL_ERROR_SIZE` bytes.
    private let errorText: UnsafeMutablePointer<CChar>
    private var headerList: UnsafeMutablePointer<curl_slist>?
    /// The source of ``headerList``. The next request mostly has the same fields.
    private var listed: (headers: HTTPHeaders, isUpload: Bool)?
    private var response: PartialResponse
    private var upload: Upload?

    init(to server: ServerAddress, _ configuration: TransportConfiguration) throws(TransportError) {
        guard let easy = curl_easy_init() else {
            throw TransportError(CURLE_OUT_OF_MEMORY, text: "curl_easy_init", server: server)
        }
        self.easy = easy
        self.server = server
        self.configuration = configuration
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        response = PartialResponse(bodyBytesMax: 0, headerBytesMax: 0)
        try setLastingOptions()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    /// Prepares the handle for `request`, which has been validated. A non-`nil` `body` is sent after the request has started.
    func prepare(_ request: HTTPRequest, awaiting body: PendingBody?) throws(TransportError) {
        upload = body.map { Upload(body: $0) }
        response = PartialResponse(
            bodyBytesMax: request.responseBytesMax ?? configuration.responseBytesMax,
            headerBytesMax: configuration.headerBytesMax)
        errorText.pointee = 0
        var options = EasyOptions(easy)
        setTarget(of: request, &options)
        options.set(CURLOPT_TIMEOUT_MS, milliseconds: request.timeout)
        options.set(CURLOPT_LOW_SPEED_LIMIT, request.answer == .prompt ? 1024 : 0)
        options.set(CURLOPT_LOW_SPEED_TIME, request.answer == .prompt ? 30 : 0)
        setMethod(of: request, &options)
        setHeaders(of: request, &options)
        try check(options)
    }

    /// Returns the outcome of the request, once libcurl has completed it.
    func result(_ code: CURLcode) -> Result<HTTPResponse, TransportError> {
        guard code == CURLE_OK else {
            let written = String(cString: errorText)
            let text = written.isEmpty ? String(cString: curl_easy_strerror(code)) : written
            var error = TransportError(code, text: text, excess: response.excess, server: server)
            error.hasSentBody = ccurl_uploaded(easy) > 0
            return .failure(error)
        }
        return .success(
            HTTPResponse(status: ccurl_status(easy), headers: response.headers, body: response.body))
    }

    /// Continues a request whose body has become known. libcurl sends the body when it next runs.
    func goOn() { curl_easy_pause(easy, CURLPAUSE_CONT) }

    /// Releases the bytes of the request and the response.
    func rest() {
        upload = nil
        response = PartialResponse(bodyBytesMax: 0, headerBytesMax: 0)
        // This also frees libcurl's copy of the body.
        _ = ccurl_set_bytes(easy, CURLOPT_POSTFIELDS, nil)
    }

    /// Sets the path and query apart from the URL, which libcurl would parse and reassemble with each request. A
    /// proxy needs the complete URL.
    private func setTarget(of request: HTTPRequest, _ options: inout EasyOptions) {
        if configuration.proxy == nil {
            options.set(CURLOPT_REQUEST_TARGET, request.path)
        } else {
            options.set(CURLOPT_URL, server.description + request.path)
        }
    }

    private func setMethod(of request: HTTPRequest, _ options: inout EasyOptions) {
        let carriesBody = request.method == .post || !request.body.isEmpty
        if upload != nil {
            options.set(CURLOPT_POST, 1)
            options.note(ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, -1))
        } else if carriesBody {
            options.note(ccurl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)))
            request.body.withUnsafeBytes { bytes in
                // An empty array may have no address, in which case libcurl would read the body from the read callback.
                options.note(
                    bytes.isEmpty
                        ? ccurl_set_text(easy, CURLOPT_COPYPOSTFIELDS, "")
                        : ccurl_set_bytes(easy, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress))
            }
        } else {
            options.set(CURLOPT_HTTPGET, 1)
        }
        let isPlain = request.method == .get || request.method == .post
        options.set(CURLOPT_CUSTOMREQUEST, isPlain ? nil : request.method.rawValue)
    }

    private func setHeaders(of request: HTTPRequest, _ options: inout EasyOptions) {
        let isUpload = upload != nil
        if let listed, listed == (request.headers, isUpload) { return }
        // libcurl sends a field with an empty value if it is written "Name;", and omits its own field for "Name:".
        var lines = request.headers.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        lines.append("Expect:")
        if isUpload { lines.append("Transfer-Encoding: chunked") }
        if request.headers["content-type"] == nil { lines.append("Content-Type:") }
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines {
            guard let longer = curl_slist_append(list, line) else {
                curl_slist_free_all(list)
                return options.note(CURLE_OUT_OF_MEMORY)
            }
            list = longer
        }
        options.note(ccurl_set_list(easy, CURLOPT_HTTPHEADER, list))
        curl_slist_free_all(headerList)
        headerList = list
        listed = (request.headers, isUpload)
    }

    private func check(_ options: EasyOptions) throws(TransportError) {
        guard let code = options.failure else { return }
        throw TransportError(code, text: String(cString: curl_easy_strerror(code)), server: server)
    }

    /// Sets the options that hold for every request. An option that libcurl refuses is an error, so that none is
    /// missing silently.
    private func setLastingOptions() throws(TransportError) {
        var options = EasyOptions(easy)
        options.setSecurity(server, configuration)
        options.set(CURLOPT_URL, server.description + "/")
        options.set(CURLOPT_NOSIGNAL, 1)
        options.set(CURLOPT_TCP_NODELAY, 1)
        options.set(CURLOPT_TCP_KEEPALIVE, 1)
        options.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        options.set(CURLOPT_PATH_AS_IS, 1)
        options.set(CURLOPT_ACCEPT_ENCODING, "zstd, gzip")
        options.set(CURLOPT_USERAGENT, configuration.userAgent)
        options.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds: configuration.connectTimeout)
        options.set(CURLOPT_BUFFERSIZE, 128 * 1024)
        options.note(ccurl_leave_resolver_behind(easy))
        options.note(ccurl_set_bytes(easy, CURLOPT_ERRORBUFFER, errorText))
        let user = Unmanaged.passUnretained(self).toOpaque()
        options.note(ccurl_set_pointer(easy, CURLOPT_WRITEDATA, user))
        options.note(ccurl_set_pointer(easy, CURLOPT_HEADERDATA, user))
        options.note(
            ccurl_set_carry(easy, CURLOPT_WRITEFUNCTION) { bytes, _, count, user in
                Transfer.receive(bytes, count, user) { $0.response.receiveBody($1) }
            })
        options.note(
            ccurl_set_carry(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, user in
                Transfer.receive(bytes, size * count, user) { $0.response.receiveHeaderLine($1) }
            })
        options.note(ccurl_set_pointer(easy, CURLOPT_READDATA, user))
        options.note(ccurl_set_pointer(easy, CURLOPT_SEEKDATA, user))
        options.note(
            ccurl_set_carry(easy, CURLOPT_READFUNCTION) { bytes, _, count, user in
                guard let bytes, let user else { return Int(CURL_READFUNC_ABORT) }
                let room = UnsafeMutableRawBufferPointer(start: bytes, count: count)
                return Transfer.behind(user).upload?.read(into: room) ?? Int(CURL_READFUNC_ABORT)
            })
        options.note(
            ccurl_set_seek(easy, CURLOPT_SEEKFUNCTION) { user, offset, _ in
                // A kept connection has turned out to be closed: libcurl resends the request from its beginning.
                guard offset == 0, let user else { return CURL_SEEKFUNC_FAIL }
                Transfer.behind(user).upload?.rewind()
                return CURL_SEEKFUNC_OK
            })
        try check(options)
    }

    /// Returns the transfer that was registered with libcurl's callbacks. It outlives every callback, since the loop
    /// keeps a transfer until it has left the multi handle.
    private static func behind(_ user: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(user).takeUnretainedValue()
    }

    /// Passes bytes to the transfer behind `user`. A result other than `count` makes libcurl end the transfer.
    private static func receive(
        _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ user: UnsafeMutableRawPointer?,
        _ take: (Transfer, UnsafeRawBufferPointer) -> Bool
    ) -> Int {
        guard count > 0 else { return 0 }
        guard let bytes, let user else { return 0 }
        return take(behind(user), UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
    }
}

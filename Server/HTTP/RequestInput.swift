internal import NIOCore
internal import NIOHTTP1
internal import RoostCompression
internal import RoostModel
internal import RoostProtocol

/// The parts of a request that the protocol reads, within its limits.
struct RequestInput {
    let request: Request
    let limits: Limits
    let budget: ByteBudget
    let rates: RateLimits

    /// A decompressed body, with its share of the bytes that the server may hold. Keep it until the request is answered.
    struct Body {
        let bytes: [UInt8]
        /// The share; `nil` for a small body.
        fileprivate let share: ByteBudget.Share?
    }

    /// Reads and decompresses the body. Its bytes count as requests of its sender, whatever the result.
    ///
    /// - Parameters:
    ///   - type: The type by which it will be parsed; `nil` for a body that is only hashed.
    ///   - holder: The sender, whose share of the server's memory the body takes.
    /// - Throws: ``ErrorCode/tooLarge``, before reading if the length is stated; ``ErrorCode/tooManyRequests`` if the
    ///   server's memory has too little left now.
    func body(as type: MediaType?, from holder: ByteLedger.Holder, bytesMax: Int? = nil) async throws -> Body {
        let sentMax = min(bytesMax ?? limits.bodyBytesMax, limits.bodyBytesMax)
        let encoding = try contentEncoding()
        let stated = request["Content-Length"].flatMap { Int($0) }
        if let stated, stated > sentMax { throw Self.tooLarge(sentMax) }
        let isSmall = stated ?? sentMax <= ByteBudget.countedFromBytes
        var share = isSmall ? nil : budget.share(for: holder)
        let sent: [UInt8]
        do {
            // A stated length costs its sender nothing, so only received bytes count.
            let buffer = try await request.body.collect(upTo: sentMax) { [share] count in
                if count > ByteBudget.countedFromBytes { try share?.grow(to: count) }
            }
            sent = Array(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Self.tooLarge(sentMax)
        }
        // Counts the maximum growth, because the decompressed size is not known yet.
        let growth = min(bytesMax ?? limits.decompressedBytesMax, 64 * 1024 + sent.count * limits.compressionRatioMax)
        do {
            if encoding != .identity { try count(growth, in: &share, holder) }
            let bytes = try Compression.decompress(
                sent, encoding: encoding, bytesMax: bytesMax ?? limits.decompressedBytesMax,
                ratioMax: limits.compressionRatioMax)
            charge(bytes.count, to: holder)
            try count(Self.memory(of: bytes, as: type), in: &share, holder)
            return Body(bytes: bytes, share: share)
        } catch let error as CompressionError {
            // The body was decompressed up to its error.
            charge(growth, to: holder)
            throw Self.refusal(error)
        }
    }

    private func charge(_ bytes: Int, to holder: ByteLedger.Holder) {
        if let replica = holder.replica { rates.bytes(bytes, by: replica) }
    }

    private func count(
        _ bytes: Int, in share: inout ByteBudget.Share?, _ holder: ByteLedger.Holder
    ) throws(ProtocolError) {
        if let share { return try share.resize(to: bytes) }
        share = try budget.share(of: bytes, for: holder)
    }

    /// Returns the maximum bytes that a body and its parsed form take.
    private static func memory(of bytes: [UInt8], as type: MediaType?) -> Int {
        guard bytes.count > ByteBudget.countedFromBytes else { return bytes.count }
        return switch type {
        case .json: bytes.count + JSONFootprint(of: bytes).bytes
        case .protobuf: 2 * bytes.count
        case nil: bytes.count
        }
    }

    /// Reads the body of a message about scopes, members or invites.
    ///
    /// - Parameters:
    ///   - holder: The sender, if it has a device token.
    ///   - bytesMax: The limit. Such a message is short, unless it contains a schema.
    func control(
        from holder: ByteLedger.Holder = .init(), bytesMax: Int = 16 * 1024
    ) async throws -> JSONValue {
        guard try contentType() == .json else {
            throw ProtocolError(.unsupportedMediaType, "Cannot read the body: expected Content-Type application/json.")
        }
        let body = try await body(as: .json, from: holder, bytesMax: bytesMax)
        do {
            let value = try JSONParser.parse(body.bytes)
            guard value.members != nil else {
                throw ProtocolError(.badRequest, "Cannot read the body: it is \(value.kindName), expected an object.")
            }
            return value
        } catch let error as JSONError {
            throw ProtocolError(.badRequest, "Cannot read the body: it is not JSON (\(error)).")
        }
    }

    /// The bytes of a control message with a schema, which JSON may make four times as long.
    var schemaMessageBytesMax: Int { limits.schemaBytesMax * 4 }

    /// Reads the type of the body.
    func contentType() throws(ProtocolError) -> MediaType {
        let text = request["Content-Type"] ?? ""
        guard let type = Self.mediaType(text[...]), Self.isUTF8(text) else {
            throw ProtocolError(
                .unsupportedMediaType,
                "Cannot read the body: expected Content-Type \(MediaType.protobuf.rawValue) or \(MediaType.json.rawValue), in UTF-8."
            )
        }
        return type
    }

    /// Returns the type of the reply: the first accepted type that the server supports.
    func replyType(otherwise type: MediaType) -> MediaType {
        guard let accept = request["Accept"] else { return type }
        // The value of Roost's own devices. Parsing it was 2 % of the server's computing time for a change.
        if let accepted = MediaType(rawValue: accept) { return accepted }
        for item in accept.split(separator: ",") {
            if let accepted = Self.mediaType(item) { return accepted }
        }
        return type
    }

    /// The best encoding that the client accepts.
    var acceptedEncoding: ContentEncoding {
        guard let accept = request["Accept-Encoding"] else { return .identity }
        // The value of Roost's own devices. Parsing it was 4 % of the server's computing time for a change.
        if accept == "zstd, gzip" { return .zstd }
        let names = accept.lowercased().split(separator: ",").filter { !$0.contains("q=0") || $0.contains("q=0.") }
            .map { $0.prefix { $0 != ";" }.filter { $0 != " " } }
        if names.contains("zstd") { return .zstd }
        return names.contains("gzip") ? .gzip : .identity
    }

    /// Reads the single value of a query parameter; `nil` if there is none.
    func query(_ name: String) throws(ProtocolError) -> String? {
        let values = request.target[name]
        guard values.count < 2 else {
            throw ProtocolError(
                .badRequest, "Cannot read the parameter \"\(name)\": it is there \(values.count) times.")
        }
        return values.first
    }

    func number(_ name: String, in range: ClosedRange<Int>) throws(ProtocolError) -> Int? {
        guard let text = try query(name) else { return nil }
        guard let number = Int(text), String(number).utf8.elementsEqual(text.utf8), range.contains(number) else {
            throw ProtocolError(
                .badRequest,
                "Cannot read the parameter \"\(name)\": expected a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound).")
        }
        return number
    }

    private func contentEncoding() throws(ProtocolError) -> ContentEncoding {
        guard let text = request["Content-Encoding"] else { return .identity }
        guard let encoding = ContentEncoding(rawValue: text.lowercased()) else {
            throw ProtocolError(
                .unsupportedMediaType,
                "Cannot read the body: expected Content-Encoding identity, gzip or zstd, one of them once.")
        }
        return encoding
    }

    private static func mediaType(_ text: Substring) -> MediaType? {
        MediaType(rawValue: String(text))
            ?? MediaType(rawValue: text.prefix { $0 != ";" }.filter { $0 != " " }.lowercased())
    }

    /// Whether the parameters of a type allow UTF-8.
    private static func isUTF8(_ type: String) -> Bool {
        type.split(separator: ";").dropFirst().allSatisfy { parameter in
            let text = parameter.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
            return !text.hasPrefix("charset=") || text == "charset=utf-8" || text == "charset=utf8"
        }
    }

    private static func tooLarge(_ bytesMax: Int) -> ProtocolError {
        ProtocolError(.tooLarge, "Cannot read the body: it is larger than \(bytesMax) bytes. Send less at once.")
    }

    private static func refusal(_ error: CompressionError) -> ProtocolError {
        switch error {
        case .tooLarge, .ratioTooHigh: ProtocolError(.tooLarge, error.description)
        case .malformed, .truncated, .trailingBytes: ProtocolError(.badRequest, error.description)
        case .outOfMemory: ProtocolError(.internalError, error.description)
        }
    }
}

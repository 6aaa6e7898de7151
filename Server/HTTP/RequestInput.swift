internal import NIOCore
internal import NIOHTTP1
internal import RoostCompression
internal import RoostModel
internal import RoostProtocol

/// What the protocol reads from a request, within its limits.
struct RequestInput {
    let request: Request
    let limits: Limits
    let budget: ByteBudget
    let rates: RateLimits

    /// A body, decompressed, with its share of what the server holds at once. To be held until the request is answered.
    struct Body {
        let bytes: [UInt8]
        /// `nil` for a small one.
        fileprivate let share: ByteBudget.Share?
    }

    /// The body, decompressed. Its bytes count as requests of its sender, whatever becomes of it.
    ///
    /// - Parameters:
    ///   - type: How it is parsed; `nil` for a body that is only hashed.
    ///   - holder: The sender, whose share of the server's memory it takes.
    /// - Throws: ``ErrorCode/tooLarge`` before anything is read where the length is stated; ``ErrorCode/tooManyRequests`` where there is
    ///   no room for it now.
    func body(as type: MediaType?, from holder: ByteLedger.Holder, bytesMax: Int? = nil) async throws -> Body {
        let sentMax = min(bytesMax ?? limits.bodyBytesMax, limits.bodyBytesMax)
        let encoding = try contentEncoding()
        let stated = request["Content-Length"].flatMap { Int($0) }
        if let stated, stated > sentMax { throw Self.tooLarge(sentMax) }
        let isSmall = stated ?? sentMax <= ByteBudget.countedFromBytes
        var share = isSmall ? nil : budget.share(for: holder)
        let sent: [UInt8]
        do {
            // A length that is only stated costs its sender nothing; so what has arrived counts.
            let buffer = try await request.body.collect(upTo: sentMax) { [share] count in
                if count > ByteBudget.countedFromBytes { try share?.grow(to: count) }
            }
            sent = Array(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw Self.tooLarge(sentMax)
        }
        // Before it is known how large it becomes.
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
            // It was decompressed up to where it is wrong.
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

    /// Bytes that a body and what is parsed from it take at most.
    private static func memory(of bytes: [UInt8], as type: MediaType?) -> Int {
        guard bytes.count > ByteBudget.countedFromBytes else { return bytes.count }
        return switch type {
        case .json: bytes.count + JSONFootprint(of: bytes).bytes
        case .protobuf: 2 * bytes.count
        case nil: bytes.count
        }
    }

    /// The body of a message about scopes, members or invites.
    ///
    /// - Parameters:
    ///   - holder: The sender, where it has a device token.
    ///   - bytesMax: Such a message is short, unless it carries a schema.
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

    /// Bytes of a control message that carries a schema, which JSON may make four times as long.
    var schemaMessageBytesMax: Int { limits.schemaBytesMax * 4 }

    /// The type of the body.
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

    /// The type to reply in: the first one accepted that there is.
    func replyType(otherwise type: MediaType) -> MediaType {
        guard let accept = request["Accept"] else { return type }
        // What our own devices send: taking it apart was 2 % of what the server computes for a change.
        if let accepted = MediaType(rawValue: accept) { return accepted }
        for item in accept.split(separator: ",") {
            if let accepted = Self.mediaType(item) { return accepted }
        }
        return type
    }

    /// The best encoding that the client takes.
    var acceptedEncoding: ContentEncoding {
        guard let accept = request["Accept-Encoding"] else { return .identity }
        // What our own devices say: taking it apart was 4 % of what the server computes for a change.
        if accept == "zstd, gzip" { return .zstd }
        let names = accept.lowercased().split(separator: ",").filter { !$0.contains("q=0") || $0.contains("q=0.") }
            .map { $0.prefix { $0 != ";" }.filter { $0 != " " } }
        if names.contains("zstd") { return .zstd }
        return names.contains("gzip") ? .gzip : .identity
    }

    /// The one value of a query parameter; `nil` where there is none.
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

    /// Whether a body of a type is in UTF-8, as far as its parameters say.
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

internal import NIOCore
internal import NIOHTTP1

/// Refuses a request with several Host fields, which the parts of the server behind it no longer see.
final class HostCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var isRefused = false

    /// Puts a check right behind the decoder.
    static func add(to pipeline: ChannelPipeline) throws {
        let operations = pipeline.syncOperations
        let decoder = try operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try operations.addHandler(HostCheck(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.headers["host"].count > 1 {
            isRefused = true
            context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
        }
        if !isRefused { context.fireChannelRead(data) }
    }
}

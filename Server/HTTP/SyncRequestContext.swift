internal import Hummingbird
internal import Logging
internal import NIOCore

/// What a request carries through the server: Hummingbird's own part, and the connection.
struct SyncRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }
}

internal import Logging
internal import Terminal

/// A log handler that spells out control characters. Each entry stays on one line and cannot control a terminal,
/// although names in it come from servers and other devices.
struct PrintableLogHandler: LogHandler {
    private var handler: StreamLogHandler

    init(_ handler: StreamLogHandler) { self.handler = handler }

    var logLevel: Logger.Level {
        get { handler.logLevel }
        set { handler.logLevel = newValue }
    }

    var metadata: Logger.Metadata {
        get { handler.metadata }
        set { handler.metadata = newValue.mapValues(Self.printable) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { handler[metadataKey: key] }
        set { handler[metadataKey: key] = newValue.map(Self.printable) }
    }

    func log(event: LogEvent) {
        var event = event
        event.message = "\(Console.printable("\(event.message)"))"
        event.metadata = event.metadata?.mapValues(Self.printable)
        event.error = nil
        handler.log(event: event)
    }

    private static func printable(_ value: Logger.Metadata.Value) -> Logger.Metadata.Value {
        "\(Console.printable("\(value)"))"
    }
}

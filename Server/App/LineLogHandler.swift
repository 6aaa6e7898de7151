internal import ArgumentParser
internal import Foundation
internal import Logging
internal import RoostModel

/// The format of log lines.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
    case text
    case json
}

/// A log handler that writes one line per event to standard error, control characters escaped.
struct LineLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]
    let format: LogFormat

    init(format: LogFormat) {
        self.format = format
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let time = Date().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true))
        switch format {
        case .json:
            let fields = all.map { JSONValue.Member($0.key, .string("\($0.value)")) }
            let line = JSONValue.object(
                [
                    .init("time", .string(time)), .init("level", .string(event.level.rawValue)),
                    .init("message", .string(event.message.description)),
                ] + fields)
            Console.note(LogLine.escaped(line.text, inJSON: true))
        case .text:
            let fields = all.map { " \($0.key)=\(Self.quoted("\($0.value)"))" }.joined()
            Console.note(LogLine.escaped("\(time) \(event.level.rawValue) \(event.message)\(fields)", inJSON: false))
        }
    }

    /// Quotes a text as JSON if it contains a blank or a control character, so that a line stays one line.
    private static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x22 && $0.value < 0x7F }
        return isPlain ? text : JSONValue.string(text).text
    }
}

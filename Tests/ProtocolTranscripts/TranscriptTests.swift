import Foundation
import RoostModel
import RoostProtocol
import Testing

/// The messages of protocol.md in both encodings, as files: one folder for each section, and for each message its JSON form
/// (`NAME.MESSAGE.json`) and its Protocol Buffers form in hexadecimal digits (`NAME.MESSAGE.hex`).
///
/// A commit that edits one of these files changes the protocol.
@Suite struct TranscriptTests {
    struct Transcript: Sendable, CustomStringConvertible {
        let name: String
        let json: URL
        var hex: URL { json.deletingPathExtension().appendingPathExtension("hex") }
        var message: String { json.deletingPathExtension().pathExtension }
        var description: String { name }
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()

    static let all: [Transcript] = {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".json") && $0.contains("/") }.sorted()
            .map { Transcript(name: $0, json: folder.appending(path: $0)) }
    }()

    @Test func thereAreTranscriptsOfEveryMessage() {
        #expect(
            Set(Self.all.map(\.message)) == ["PushRequest", "PushReply", "PullReply", "RecoverRequest", "RecoverReply"])
    }

    @Test(arguments: all)
    func bothFormsAreTheSameMessageAndAreWrittenAsTheyStand(_ transcript: Transcript) throws {
        switch transcript.message {
        case "PushRequest": try check(transcript, PushRequest.self)
        case "PushReply": try check(transcript, PushReply.self)
        case "RecoverRequest": try check(transcript, RecoverRequest.self)
        case "RecoverReply": try check(transcript, RecoverReply.self)
        default: try check(transcript, PullReply.self)
        }
    }

    private func check<Body: Message & Equatable>(_ transcript: Transcript, _ type: Body.Type) throws {
        let schema = try String(contentsOf: Self.folder.appending(path: "schema.json"), encoding: .utf8)
        let names = RecordJSON(try Schema(json: schema))
        let text = try String(contentsOf: transcript.json, encoding: .utf8)
        let hex = try String(contentsOf: transcript.hex, encoding: .utf8).filter { !$0.isWhitespace }
        let fromJSON = try Body(Array(text.utf8), as: .json, names)
        let fromBytes = try Body(try #require(Hex.decode(hex.utf8)), as: .protobuf, names)
        #expect(fromJSON == fromBytes)
        #expect(try fromBytes.json(names).prettyText + "\n" == text)
        #expect(Hex.encode(fromJSON.protobuf()) == hex)
    }
}

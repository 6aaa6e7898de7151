import Foundation
import Roost
import RoostModel
import Testing

/// `SessionTable.md` §6 lists every request of a session.
@Suite struct RequestTableTests {
    private static let requests: [SyncDriver.Request] = [
        .renew(reason: "", nonce: ""), .connect(since: nil), .push([]), .pushAndPull([], since: nil),
        .pull(since: nil, waitSeconds: 0), .pullAhead(since: []), .schema, .pushReply(number: 1, hash: []),
        .recover([]),
        .findToken([]),
    ]

    /// A new request does not compile until it is named here.
    private static func name(_ request: SyncDriver.Request) -> String {
        switch request {
        case .renew: "renew"
        case .connect: "connect"
        case .push: "push"
        case .pushAndPull: "pushAndPull"
        case .pull: "pull"
        case .pullAhead: "pullAhead"
        case .schema: "schema"
        case .pushReply: "pushReply"
        case .recover: "recover"
        case .findToken: "findToken"
        }
    }

    private static func section(_ title: String) throws -> [[String]] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Client/Session/SessionTable.md")
        let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
        let section = lines.drop { !$0.hasPrefix("## \(title)") }.dropFirst().prefix { !$0.hasPrefix("## ") }
        return section.filter { $0.hasPrefix("|") }.dropFirst(2).map { line in
            line.dropFirst().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test func everyRequestHasARow() throws {
        let rows = try Self.section("6. Requests")
        #expect(Set(rows.map { $0[0] }) == Set(Self.requests.map(Self.name)))
    }

    /// An action of a row is one of a cell of the lanes' tables.
    @Test func everyRequestIsMadeByAnActionOfATable() throws {
        let cells = try ["1. Push lane", "2. Pull lane"].flatMap { try Self.section($0).flatMap { $0 } }
        let actions = Set(cells.compactMap { $0.split(separator: " · ").dropFirst().first.map(String.init) })
        for row in try Self.section("6. Requests") {
            // The session adds the page that is to come with the reply to the push lane's action.
            #expect(actions.contains(row[1].replacing(", pulls", with: "")), "\(row)")
        }
    }
}

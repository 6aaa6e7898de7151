import Foundation
import GRDB
import Replica
import Roost
import RoostModel
import Session
import TestPlainSQL
import Transport

/// A replica that synchronises over the network, with a server of the test.
final class JoinedDevice {
    let replica: Replica
    let synchronizer: Synchronizer
    /// Each state that was published, in order.
    let states: AsyncStream<SyncState>
    private let transport: HTTPTransport
    private let folder: URL

    /// - Parameter port: The port of the server on this machine.
    init(_ mode: SyncMode, port: UInt16, bounds: SyncBounds = SyncBounds()) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-joined-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let address = "http://127.0.0.1:\(port)"
        replica = try ScriptedServer.joinedReplica(in: folder, server: address, token: "token")
        transport = try HTTPTransport(to: try ServerAddress(address))
        let (states, continuation) = AsyncStream.makeStream(of: SyncState.self)
        self.states = states
        synchronizer = Synchronizer(replica, ServerClient(transport, token: "token"), mode, bounds: bounds) {
            continuation.yield($0)
        }
    }

    deinit {
        try? replica.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Another session, which runs once.
    func session(bounds: SyncBounds) -> Synchronizer {
        Synchronizer(replica, ServerClient(transport, token: "token"), .once(attemptsMax: 3), bounds: bounds)
    }

    func write(_ name: String) throws { try write([name]) }

    /// Writes people as a program that knows only SQLite.
    func write(_ names: [String]) throws {
        let plain = try PlainSQL(replica.path)
        let rows = Array(repeating: "(?)", count: names.count).joined(separator: ", ")
        try plain.execute("insert into person(name) values \(rows)", StatementArguments(names))
        try plain.close()
    }

    /// Renames a person, as a program that knows only SQLite.
    func edit(_ name: String, to other: String) throws {
        let plain = try PlainSQL(replica.path)
        try plain.execute("update person set name = ? where name = ?", [other, name])
        try plain.close()
    }

    func shutdown() async { await transport.shutdown() }
}

internal import Synchronization

/// The identity of the server that has answered last (protocol.md §3).
package final class ServerSeen: Sendable {
    private let seen = Mutex<String?>(nil)

    /// `nil` while no answer has said it, as those of earlier servers and of what stands in a server's place.
    var identity: String? { seen.withLock { $0 } }

    func note(_ identity: String) {
        // It is shown to people.
        guard identity.utf8.count == 16, identity.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "f") ~= $0 })
        else {
            return
        }
        seen.withLock { $0 = identity }
    }
}

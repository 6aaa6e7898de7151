internal import Synchronization

/// The identity of the server that has answered last (protocol.md §3).
package final class ServerSeen: Sendable {
    private let seen = Mutex<String?>(nil)

    /// The identity; `nil` while no answer has contained one. Earlier servers, and programs in a server's place, send none.
    var identity: String? { seen.withLock { $0 } }

    func note(_ identity: String) {
        // The identity is shown to users.
        guard identity.utf8.count == 16, identity.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "f") ~= $0 })
        else {
            return
        }
        seen.withLock { $0 = identity }
    }
}

internal import Synchronization

/// The open connections, in total and by address.
package final class ConnectionTable: Sendable {
    private struct State {
        var total = 0
        var isClosed = false
        var perAddress: [String: Int] = [:]
    }

    private let totalMax: Int
    private let perAddressMax: Int
    private let proxies: Set<String>
    private let state = Mutex(State())

    /// Creates an empty table.
    ///
    /// - Parameter proxies: Addresses without a limit of their own, in their shortest form: many clients connect through
    ///   them.
    package init(totalMax: Int, perAddressMax: Int, proxies: Set<String> = []) {
        self.proxies = proxies
        self.totalMax = totalMax
        self.perAddressMax = perAddressMax
    }

    /// Counts a connection. It returns `false`, and does not count it, if there are too many or the server is stopping.
    ///
    /// A connection from a loopback address or a trusted proxy counts towards the total only: behind it are many clients,
    /// or this machine's own user.
    package func open(_ address: String) -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.total < totalMax else { return false }
            if !Self.isLoopback(address), !proxies.contains(Self.shortest(address)) {
                guard state.perAddress[address, default: 0] < perAddressMax else { return false }
                state.perAddress[address, default: 0] += 1
            }
            state.total += 1
            return true
        }
    }

    package func close(_ address: String) {
        state.withLock { state in
            state.total -= 1
            guard let count = state.perAddress[address] else { return }
            state.perAddress[address] = count > 1 ? count - 1 : nil
        }
    }

    /// Refuses further connections, because the server is stopping.
    package func takeNoMore() {
        state.withLock { $0.isClosed = true }
    }

    package var total: Int { state.withLock { $0.total } }

    /// Returns an address in its shortest form. An IPv4 address that arrived over an IPv6 socket loses its prefix.
    static func shortest(_ address: String) -> String {
        let mapped = "::ffff:"
        return address.hasPrefix(mapped) && address.contains(".") ? String(address.dropFirst(mapped.count)) : address
    }

    static func isLoopback(_ address: String) -> Bool {
        address == "::1" || address.hasPrefix("127.")
    }
}

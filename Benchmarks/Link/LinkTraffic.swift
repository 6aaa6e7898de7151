/// What went over a ``ShapedLink``.
package struct LinkTraffic: Hashable, Sendable {
    /// Bytes of the TCP streams, from the clients and to them; without what TCP, IP and the wire add.
    package var up = 0
    package var down = 0
    /// How often a client spoke: at first, or after it was answered. Opening a connection is not in it.
    package var roundTrips = 0
    package var connections = 0

    package init() {}
}

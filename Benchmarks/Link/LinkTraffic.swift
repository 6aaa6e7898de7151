/// The traffic over a ``ShapedLink``.
package struct LinkTraffic: Hashable, Sendable {
    /// Bytes of the TCP streams from the clients and to them, excluding the headers of TCP, IP and the wire.
    package var up = 0
    package var down = 0
    /// The number of times a client sent something first, or after an answer. The opening of connections is not counted.
    package var roundTrips = 0
    package var connections = 0

    package init() {}
}

/// The properties of a connection through a ``ShapedLink``.
package struct LinkShape: Sendable {
    /// The time from a byte's departure to the arrival of an answer to it, excluding the transmission time of their bytes.
    package var roundTrip: Duration
    /// The rate of each direction, shared by all connections.
    package var bitsPerSecond: Double
    /// The share of segments that are lost, 0 to 1.
    package var loss: Double

    package init(roundTrip: Duration, bitsPerSecond: Double, loss: Double) {
        self.roundTrip = roundTrip
        self.bitsPerSecond = bitsPerSecond
        self.loss = loss
    }

    /// Returns the transmission time of some bytes at this rate.
    package func seconds(of bytes: Int) -> Double { Double(bytes) * 8 / bitsPerSecond }
}

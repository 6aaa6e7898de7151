/// What a connection through a ``ShapedLink`` has to put up with.
package struct LinkShape: Sendable {
    /// From a byte's departure to the arrival of an answer to it, without the time that their bytes take.
    package var roundTrip: Duration
    /// Of each direction, for all connections together.
    package var bitsPerSecond: Double
    /// The share of segments that are lost, 0 to 1.
    package var loss: Double

    package init(roundTrip: Duration, bitsPerSecond: Double, loss: Double) {
        self.roundTrip = roundTrip
        self.bitsPerSecond = bitsPerSecond
        self.loss = loss
    }

    /// The time that some bytes take at this rate, and nothing else.
    package func seconds(of bytes: Int) -> Double { Double(bytes) * 8 / bitsPerSecond }
}

/// A point in time on the driver's clock: one that never goes back, such as milliseconds since the driver started.
package struct Moment: InstantProtocol, Hashable, Sendable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Later by `duration`, cut to whole milliseconds.
    package func advanced(by duration: Duration) -> Moment {
        let (seconds, attoseconds) = duration.components
        return Moment(milliseconds: milliseconds + seconds * 1000 + attoseconds / 1_000_000_000_000_000)
    }

    package func duration(to other: Moment) -> Duration { .milliseconds(other.milliseconds - milliseconds) }

    package static func < (left: Moment, right: Moment) -> Bool { left.milliseconds < right.milliseconds }
}

internal import RoostModel

/// The state of the server's clock, derived from its readings: the bound of stamps, and whether its time may be trusted to
/// purge.
///
/// Only readings advance it, never values from a client. It is a value: each reading is an argument.
///
/// ```swift
/// var clock = ServerClock()
/// clock.read(now)
/// let accepted = stamp.milliseconds <= clock.bound(aheadMax: 300_000)
/// ```
package struct ServerClock: Hashable, Sendable {
    /// A step forward between two readings that is not confirmed.
    package struct Jump: Hashable, Sendable {
        /// The reading before the step, in milliseconds since 1970.
        package var from: UInt64
        /// The reading after the step, in milliseconds since 1970.
        package var to: UInt64

        /// Whether an operator's confirmation, at `reading`, covers this step. The operator may have confirmed after the
        /// step, or within it while the server was off, if the rest of the step is no longer than ``stepMax``.
        func isConfirmed(at reading: UInt64) -> Bool { reading > from && reading + ServerClock.stepMax >= to }
    }

    /// The longest step between two readings that counts as elapsed time, in milliseconds.
    static let stepMax: UInt64 = 24 * 3_600_000
    /// The maximum distance of a stamp and a device's clock from the server's clock to confirm it, in milliseconds.
    static let nearMilliseconds: UInt64 = 3_600_000
    /// The maximum time between two readings that counts while the clock is behind, in milliseconds.
    private static let elapsedMax: UInt64 = 60_000

    /// The last reading, in milliseconds since 1970; `nil` before the first.
    private(set) var seen: UInt64?
    /// The greatest reading, in milliseconds since 1970. While the clock is behind it, it rises by a thousandth of the
    /// elapsed time. Then a record that was stored at the bound can still be edited, and the lead decays.
    private(set) var highest: UInt64 = 0
    /// The unconfirmed step, while purging waits.
    package private(set) var jump: Jump?
    /// The elapsed milliseconds behind ``highest`` that have not raised it yet.
    private var behind: UInt64 = 0

    package init() {}

    /// Records a reading of the wall clock, in milliseconds since 1970.
    package mutating func read(_ now: UInt64) {
        let before = seen ?? now
        seen = now
        if now > before, now - before > Self.stepMax {
            // A second step extends the first: a confirmation after the first does not confirm the clock now.
            let longer = Jump(from: jump?.from ?? before, to: now)
            #if ROOST_SEEDED_BUGS
                if !SeededBug.purgeAfterClockJump.isOn { jump = longer }
            #else
                jump = longer
            #endif
        }
        // The clock was corrected.
        if let jump, now <= jump.from + Self.stepMax { self.jump = nil }
        guard now < highest else {
            (highest, behind) = (now, 0)
            return
        }
        behind += min(now > before ? now - before : 0, Self.elapsedMax)
        highest += behind / 1000
        behind %= 1000
    }

    /// Returns the greatest milliseconds that a stamp may have: `aheadMax` after the last reading, or after the greatest.
    package func bound(aheadMax: UInt64) -> UInt64 { max(seen ?? 0, highest) + aheadMax }

    /// Returns the seconds until a stamp is within the bound, rounded up.
    func secondsUntil(_ milliseconds: UInt64, aheadMax: UInt64) -> UInt64 {
        let bound = bound(aheadMax: aheadMax)
        guard milliseconds > bound else { return 0 }
        return highest > seen ?? 0 ? milliseconds - bound : (milliseconds - bound + 999) / 1000
    }

    /// Confirms the time, on behalf of an operator or a device.
    mutating func confirm() { jump = nil }

    /// Whether a time is close enough to the last reading to confirm it.
    func isNear(_ milliseconds: UInt64) -> Bool {
        guard let seen else { return false }
        return max(seen, milliseconds) - min(seen, milliseconds) <= Self.nearMilliseconds
    }
}

// MARK: Stored

extension ServerClock {
    /// The name of the setting that stores ``encoded``.
    static let setting = "clock"
    /// The name of the setting that stores the reading up to which an operator has confirmed the clock, as 8 bytes.
    static let acceptedSetting = "clock.accepted"
    /// The name of the setting that stores the reading to which an operator has raised ``highest``, as 8 bytes.
    static let raisedSetting = "clock.raised"

    /// The stored form, format 1: the number 1, then the last reading, the greatest, and the jump's ends or zeros, as 8
    /// bytes each, most significant first.
    var encoded: [UInt8] {
        [1] + [seen ?? 0, highest, jump?.from ?? 0, jump?.to ?? 0].flatMap(Self.bytes)
    }

    /// Reads a stored clock.
    ///
    /// - Parameter bytes: ``encoded``, to which a later format may append. Invalid bytes count as none.
    init(encoded bytes: [UInt8]?) {
        self.init()
        guard let bytes, bytes.count >= 33, bytes[0] == 1 else { return }
        let numbers = (0..<4).map { Self.number(bytes[(1 + 8 * $0)..<(9 + 8 * $0)]) }
        seen = numbers[0]
        #if ROOST_SEEDED_BUGS
            highest = SeededBug.serverClockForgotten.isOn ? 0 : numbers[1]
        #else
            highest = numbers[1]
        #endif
        if numbers[3] > 0 { jump = Jump(from: numbers[2], to: numbers[3]) }
    }

    static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    static func number(_ bytes: some Collection<UInt8>) -> UInt64 { bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }

    /// Keeps the greatest reading of a store that this one replaces: devices have seen stamps up to it.
    mutating func raise(to other: ServerClock) { raise(to: other.highest) }

    /// Raises the greatest reading to one that this clock has shown, on behalf of an operator.
    mutating func raise(to reading: UInt64) { highest = max(highest, reading) }
}

internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The `Date` field of replies (RFC 9110, section 5.6.7), formatted once a second.
final class ReplyDate: Sendable {
    private let last = Mutex<(second: UInt64, text: String)>((0, ""))

    /// Returns the field for a time.
    ///
    /// - Parameter milliseconds: Milliseconds since 1970.
    func text(at milliseconds: UInt64) -> String {
        last.withLock { last in
            let second = milliseconds / 1000
            if last.second != second || last.text.isEmpty { last = (second, Self.text(second)) }
            return last.text
        }
    }

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func text(_ second: UInt64) -> String {
        var time = time_t(clamping: second)
        var parts = tm()
        gmtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return
            "\(days[Int(parts.tm_wday)]), \(two(parts.tm_mday)) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900) "
            + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) GMT"
    }
}

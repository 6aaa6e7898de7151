import BenchmarkData
import Foundation

/// What the system says of a process.
enum ProcessUsage {
    /// Seconds that a process has computed, in its own code and in the system's, to 10 ms.
    static func computedSeconds(_ id: Int32) throws -> Double {
        let text = try contents("/proc/\(id)/stat")
        // The name in parentheses may hold blanks; the fields after it are counted from 3.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
            throw BenchmarkError("Cannot read /proc/\(id)/stat.")
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Bytes of a process in memory.
    static func residentBytes(_ id: Int32) throws -> Double { try status(id, "VmRSS:") }

    /// The most bytes that a process has had in memory since its start.
    static func peakBytes(_ id: Int32) throws -> Double { try status(id, "VmHWM:") }

    private static func status(_ id: Int32, _ field: String) throws -> Double {
        for line in try contents("/proc/\(id)/status").split(separator: "\n") where line.hasPrefix(field) {
            if let kibibytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) }) {
                return kibibytes * 1024
            }
        }
        throw BenchmarkError("Cannot read /proc/\(id)/status.")
    }

    private static func contents(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }
}

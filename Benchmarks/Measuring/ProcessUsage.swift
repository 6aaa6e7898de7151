import BenchmarkData
import Foundation

/// Resource usage of a process, as the system reports it.
enum ProcessUsage {
    /// Returns the processor time of a process in seconds, including the system's time for it, to 10 ms.
    static func computedSeconds(_ id: Int32) throws -> Double {
        let text = try contents("/proc/\(id)/stat")
        // The name in parentheses may contain blanks. The fields after it are numbered from 3.
        let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else {
            throw BenchmarkError("Cannot read /proc/\(id)/stat.")
        }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Returns the resident memory of a process in bytes.
    static func residentBytes(_ id: Int32) throws -> Double { try status(id, "VmRSS:") }

    /// Returns the peak resident memory of a process since its start, in bytes.
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

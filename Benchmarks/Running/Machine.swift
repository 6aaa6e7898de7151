import CSQLite
import Foundation

/// The machine on which the figures were measured.
struct Machine: Encodable {
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let memoryMebibytes = ProcessInfo.processInfo.physicalMemory >> 20
    let processor = Machine.processorName
    let kernel = Machine.text("/proc/sys/kernel/osrelease")
    /// The number of runnable processes at the start of the run, averaged over 1, 5 and 15 minutes.
    let loadBefore = Machine.text("/proc/loadavg").split(separator: " ").prefix(3).joined(separator: " ")
    let sqlite = String(cString: sqlite3_libversion())
    let folder = FileManager.default.temporaryDirectory.path

    var lines: [String] {
        [
            "\(cores) cores of \(processor), \(memoryMebibytes) MiB, Linux \(kernel), SQLite \(sqlite)",
            "files in \(folder); load before: \(loadBefore)",
        ]
    }

    private static var processorName: String {
        let line = text("/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown"
    }

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
            ?? "unknown"
    }
}

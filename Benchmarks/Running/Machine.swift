import CSQLite
import Foundation

/// What the figures were measured on.
enum Machine {
    static func facts(isQuick: Bool) -> [(name: String, value: String)] {
        [
            ("cores", "\(ProcessInfo.processInfo.activeProcessorCount)"),
            ("memory", "\(ProcessInfo.processInfo.physicalMemory >> 20) MiB"),
            ("kernel", text("/proc/sys/kernel/osrelease")),
            ("load before", text("/proc/loadavg")),
            ("SQLite", String(cString: sqlite3_libversion())),
            ("file system", FileManager.default.temporaryDirectory.path),
            ("synchronous", "FULL: synced at each commit; NORMAL: at checkpoints; the same on client and server"),
            ("work", isQuick ? "quick: a first look with less of everything" : "full"),
        ]
    }

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
            ?? "unknown"
    }
}

internal import Foundation

/// The program's own output, written at once. A closed reader, or a full disk under a log, stops nothing.
enum Console {
    /// Writes a line to standard output.
    static func write(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Writes a line to standard error.
    static func note(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}

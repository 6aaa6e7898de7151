internal import Foundation

/// The program's own lines, written at once. A reader that is gone, or a full disk under a log, stops nothing.
enum Console {
    /// A line on standard output.
    static func write(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    /// A line on standard error.
    static func note(_ line: String) {
        try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
    }
}

internal import CekikapeyeApp
internal import CekikapeyeRules
internal import Foundation
internal import RoostModel

/// The environment with which the program was started, read once.
struct ProcessEnvironment {
    let variables: [String: String]
    let currentFolder: String
    let outputIsTerminal: Bool
    let inputIsTerminal: Bool
    /// The name of this machine, under which other devices see it.
    let deviceName: String

    static func current() -> ProcessEnvironment {
        ProcessEnvironment(
            variables: ProcessInfo.processInfo.environment, currentFolder: FileManager.default.currentDirectoryPath,
            outputIsTerminal: isatty(FileHandle.standardOutput.fileDescriptor) == 1,
            inputIsTerminal: isatty(FileHandle.standardInput.fileDescriptor) == 1,
            deviceName: ProcessInfo.processInfo.hostName)
    }

    /// Returns the value of a variable that is set and not empty.
    func variable(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Makes surroundings with the current time and day.
    func surroundings(_ language: Language) -> Surroundings {
        let now = Date()
        let milliseconds = Int64(now.timeIntervalSince1970 * 1000)
        return Surroundings(milliseconds: milliseconds, today: Self.day(of: now), language: language) {
            var generator = SystemRandomNumberGenerator()
            return RecordID(milliseconds: UInt64(clamping: milliseconds), using: &generator)
        }
    }

    private static func day(of date: Date) -> Day {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        guard let day = Day(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0) else {
            preconditionFailure("the clock shows a day of the years 1 to 9999")
        }
        return day
    }
}

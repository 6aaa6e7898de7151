internal import Foundation
internal import Synchronization

/// Collects the actions and findings of a part's threads.
final class Recorder: Sendable {
    private let state: Mutex<PartReport>
    private let started = Date()

    init(_ part: Part, seed: UInt64) {
        state = Mutex(PartReport(part: part, seed: seed))
    }

    /// The report so far, with the elapsed time.
    var report: PartReport {
        var report = state.withLock { $0 }
        report.seconds = Date().timeIntervalSince(started)
        return report
    }

    func fault(_ kind: String, count: Int = 1) { state.withLock { $0.faults[kind, default: 0] += count } }

    func count(_ change: (inout PartReport.Traffic) -> Void) { state.withLock { change(&$0.traffic) } }

    /// Records a broken promise. Only the first 40 are kept.
    func fail(_ text: String) {
        state.withLock { report in
            if report.failures.count < 40 { report.failures.append(text) }
        }
    }

    func fail(_ texts: [String], at place: String) {
        for text in texts { fail("\(place): \(text)") }
    }

    func expect(_ holds: Bool, _ text: @autoclosure () -> String) {
        if !holds { fail(text()) }
    }

    func floor(_ name: String, reached: Int, least: Int) {
        state.withLock { $0.floors.append(.init(name: name, reached: reached, least: least)) }
    }

    func figure(_ name: String, _ value: String) { state.withLock { $0.figures.append((name, value)) } }

    func omit(_ text: String) { state.withLock { $0.omissions.append(text) } }

    func converged(after seconds: Double) {
        state.withLock { $0.secondsToConverge = max($0.secondsToConverge ?? 0, seconds) }
    }

    /// Prints the progress of a long part to standard error.
    func progress(_ text: String) {
        let part = state.withLock { $0.part }
        let seconds = Int(Date().timeIntervalSince(started))
        FileHandle.standardError.write(Data("\(part.rawValue) \(seconds) s: \(text)\n".utf8))
    }

    var hasFailed: Bool { state.withLock { !$0.failures.isEmpty } }
    var faults: Int { state.withLock { $0.faults.values.reduce(0, +) } }
}

import ArgumentParser
import BenchmarkData
import Dispatch
import Foundation
import Synchronization

/// Prepares one path and plays some rounds of it, while another process counts the instructions.
struct PlayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "play", abstract: "Play rounds of one path (used by the counting itself).", shouldDisplay: false)

    @Argument var path: String

    func run() throws {
        guard let path = HotPath.all.first(where: { $0.name == path }) else {
            throw ValidationError("There is no path \"\(path)\".")
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-instructions-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Self.play(path, Workplace(folder: folder))
    }

    /// Waits for the rounds on the main thread, because valgrind crashes when an asynchronous `main` ends that thread.
    private static func play(_ path: HotPath, _ place: Workplace) throws {
        let failure = Mutex<(any Error)?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task {
            do {
                let round = try await path.prepare(place)
                // The first round does one-time work, such as preparing statements, and is not counted.
                try await round(0)
                markTheBeginning()
                for index in 1..<HotPath.roundsMax { try await round(index) }
                markTheEnd()
            } catch {
                failure.withLock { $0 = error }
            }
            isDone.signal()
        }
        isDone.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

/// Marks the beginning of counting. When this function or the next one is entered, valgrind dumps its counters and resets
/// them. It recognises the functions by name.
@inline(never)
func markTheBeginning() { _ = Counter.marks.add(1, ordering: .relaxed) }

@inline(never)
func markTheEnd() { _ = Counter.marks.add(2, ordering: .relaxed) }

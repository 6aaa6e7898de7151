import ArgumentParser
import BenchmarkData
import Dispatch
import Foundation
import Synchronization

/// Prepares one path and plays some rounds of it, while another process counts.
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

    /// Waits for the rounds on the main thread: valgrind does not survive how an asynchronous `main` ends it.
    private static func play(_ path: HotPath, _ place: Workplace) throws {
        let failure = Mutex<(any Error)?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        Task {
            do {
                let round = try await path.prepare(place)
                // What is done once, such as preparing statements, is not counted.
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

/// Where this function is entered, and the next, valgrind writes its counters down and sets them to zero. It knows them by
/// their names.
@inline(never)
func markTheBeginning() { _ = Counter.marks.add(1, ordering: .relaxed) }

@inline(never)
func markTheEnd() { _ = Counter.marks.add(2, ordering: .relaxed) }

import Foundation
import Simulation

/// Plays its share of the seeds in this process; says what came of each, a line at a time.
struct SeedWorker {
    private let share: Int
    private let count: Int
    private let command: RoostSimulate

    init(share: Int, of count: Int, _ command: RoostSimulate) {
        self.share = share
        self.count = count
        self.command = command
    }

    func run() async throws {
        let images = try SampleImages()
        defer { SimulatedDisk.removeAll() }
        let end = command.minutes.map { Date().addingTimeInterval($0 * 60) }
        var total = Counts()
        var seed = command.seed + UInt64(share)
        let last = command.seed + UInt64(command.seeds)
        while seed < last, end.map({ Date() < $0 }) ?? true {
            let run = await SeedRun.play(Script(seed: seed), images: images)
            total.add(run.counts)
            if let violation = run.violation {
                print(Failure(violation, await run.shrunk(images: images)).text)
                print("failed")
            }
            seed += UInt64(count)
        }
        for (name, value) in total.values { print("count \(name.rawValue) \(value)") }
    }
}

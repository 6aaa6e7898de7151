import Foundation
import Simulation

/// Runs its share of the seeds in this process, and prints the result of each on a line.
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
        // Every worker runs the first seed, which reveals a trace that depends on more than the seed.
        say(
            "trace \(await SeedRun.play(script(command.seed), images: images).traceHash)"
        )
        var total = Counts()
        var seed = command.seed + UInt64(share)
        let last = command.seed + UInt64(command.seeds)
        while seed < last, end.map({ Date() < $0 }) ?? true {
            // Printed first, so that the seed is known after a trap.
            say("at \(seed)")
            let run = await SeedRun.play(script(seed), images: images)
            total.add(run.counts)
            if let violation = run.violation {
                say(Failure(violation, await run.shrunk(images: images, triesMax: command.tries)).text)
                say("failed")
            }
            seed += UInt64(count)
        }
        for (name, value) in total.values { say("count \(name.rawValue) \(value)") }
        for (name, value) in total.foreign { say("foreign \(name) \(value)") }
    }

    private func script(_ seed: UInt64) -> Script {
        Script(seed: seed, faults: command.faults?.list, foreign: command.choice)
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

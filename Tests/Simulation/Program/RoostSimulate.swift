import ArgumentParser
import Simulation

@main
struct RoostSimulate: AsyncParsableCommand {
    @Option var seeds = 100
    @Option var seed: UInt64 = 1
    @Option var steps: String?
    @Flag var trace = false

    func run() async throws {
        let images = try SampleImages()
        defer { SimulatedDisk.removeAll() }
        var total = Counts()
        for number in seed..<(seed + UInt64(seeds)) {
            var script = Script(seed: number)
            if let steps { script = script.keeping(steps.split(separator: ",").compactMap { Int($0) }) }
            let run = await SeedRun.play(script, images: images, keepsLines: trace)
            total.add(run.counts)
            if trace { for line in run.lines { print(line) } }
            if let violation = run.violation {
                print("seed \(number): \(violation)")
                let small = steps == nil ? await run.shrunk(images: images) : run
                print("  scripts/simulate --seed \(number) --steps \(small.script.places.map { "\($0)" }.joined(separator: ","))")
                for (place, step) in zip(small.script.places, small.script.steps) { print("  \(place) \(step)") }
            }
            if trace { print("trace \(String(run.traceHash, radix: 16))") }
        }
        for (name, value) in total.values.sorted(by: { $0.key.rawValue < $1.key.rawValue }) { print("\(name.rawValue) \(value)") }
    }
}

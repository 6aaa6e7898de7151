#if ROOST_SEEDED_BUGS
    import ArgumentParser
    import Foundation
    import Simulation

    /// Looks for one mistake in this process, by seeds and by losing the power, until it is caught or the time is up.
    struct BugHunt {
        private static let seconds = 24.0

        func run() async throws {
            let end = Date().addingTimeInterval(Self.seconds)
            defer { SimulatedDisk.removeAll() }
            let images = try SampleImages()
            var seed: UInt64 = 1
            while Date() < end {
                let run = await SeedRun.play(Script(seed: seed), images: images)
                if let violation = run.violation { return print("caught by seed \(seed): \(violation)") }
                if seed % 100 == 0 {
                    let power = await PowerLossRun.play(images: 60, from: seed, imagesPerPoint: 2)
                    if let violation = power.violation { return print("caught by losing the power: \(violation)") }
                }
                seed += 1
            }
            print("not caught by \(seed - 1) seeds")
            throw ExitCode(1)
        }
    }
#endif

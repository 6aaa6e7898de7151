#if ROOST_SEEDED_BUGS
    import ArgumentParser
    import RoostModel
    import Simulation

    /// Searches for one seeded bug in this process, by seeds, by foreign programs and by power failures, until the bug is
    /// caught or the limit of runs is reached.
    struct BugHunt {
        private static let seeds: UInt64 = 500
        private static let foreignSeeds: UInt64 = 200

        func run() async throws {
            defer { SimulatedDisk.removeAll() }
            let images = try SampleImages()
            let isForeign = SeededBug.current?.isOfForeignPrograms
            for seed in 1...Self.seeds {
                if isForeign != true {
                    let run = await SeedRun.play(Script(seed: seed), images: images)
                    if let violation = run.violation { return print("caught by seed \(seed): \(violation)") }
                }
                if isForeign != false, seed <= Self.foreignSeeds {
                    let script = Script(seed: seed, foreign: .every(ForeignKind.allCases))
                    let run = await SeedRun.play(script, images: images)
                    if let violation = run.violation { return print("caught by foreign seed \(seed): \(violation)") }
                }
                if isForeign != true, seed % 100 == 0 {
                    let power = await PowerLossRun.play(images: 60, from: seed, imagesPerPoint: 2)
                    if let violation = power.violation { return print("caught by losing the power: \(violation)") }
                }
            }
            print("not caught by \(Self.seeds) seeds")
            throw ExitCode(1)
        }
    }
#endif

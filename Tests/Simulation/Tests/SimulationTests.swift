import Simulation
import Testing

/// Serialised, because all tests of the process share the virtual disks.
@Suite(.serialized) enum SimulationTests {}

extension SimulationTests {
    @Suite(.serialized) struct SeedTests {
        @Test func promisesHoldUnderEveryFault() async throws {
            let images = try SampleImages()
            var total = Counts()
            for seed in 1...120 {
                let run = await SeedRun.play(Script(seed: UInt64(seed)), images: images)
                total.add(run.counts)
                guard let violation = run.violation else { continue }
                Issue.record("\(Failure(violation, await run.shrunk(images: images)).text)")
            }
            #expect(Report(total, failures: 0, seconds: 0).missed == [])
        }

        @Test(arguments: [7, 41, 484, 569, 584, 951])
        func oneSeedIsPlayedTheSameTwice(seed: UInt64) async throws {
            let images = try SampleImages()
            let first = await SeedRun.play(Script(seed: seed), images: images)
            let second = await SeedRun.play(Script(seed: seed), images: images)
            #expect(first.violation == nil)
            #expect(first.traceHash == second.traceHash)
            #expect(first.counts == second.counts)
        }

        /// Each seed has failed before, with its rare faults.
        @Test(
            arguments: [
                // A device that dies while it edits next to an editor at the bound of the server's clock.
                (113_000_868, nil),
                // An edit that was not sent, beaten by a delete, and then replaced by a new row.
                (50_070, nil),
                // A delete that the server lost and that is sent again, in a file with identifiers as text.
                (363, nil),
                // A table that a program replaces, and a hidden row with a column of the user's that is refused.
                (500_095_146, nil),
                // A replica between two pages, and a server that loses the change that had moved a record behind them.
                (500_061_809, nil),
                // Two backups, restored the older first: a checkpoint of the branch between them, which the newer backup does
                // not have.
                (500_070_078, nil),
                // A program that deletes a row with one of its own columns, past a trigger that it has overwritten.
                (500_081_361, nil),
                // An edit that is too large and the delete after it, with the server's clock a day ahead of the devices'.
                (500_091_813, nil), (500_091_820, nil),
                // The identifiers of a purged folder and of its item in two pages, and the folder written again.
                (883_000_026, [.serverRestore, .purge]),
            ] as [(UInt64, [RareFault]?)])
        func seedHoldsItsPromises(seed: UInt64, faults: [RareFault]?) async throws {
            let run = await SeedRun.play(Script(seed: seed, faults: faults), images: try SampleImages())
            #expect(run.violation == nil)
        }

        @Test func nothingIsLostWithThePower() async {
            let run = await PowerLossRun.play(images: 500, from: 1, imagesPerPoint: 3)
            #expect(run.violation == nil)
            #expect(run.images >= 500 && run.damaged > 100)
        }
    }
}

import Simulation
import Testing

extension SimulationTests {
    @Suite(.serialized) struct ForeignTests {
        /// Draws every kind, and checks the minimum counts of each.
        @Test func foreignProgramsLoseNothing() async throws {
            let images = try SampleImages()
            let choice = ForeignChoice.every(ForeignKind.allCases)
            var total = Counts()
            for seed in 1...60 {
                let run = await SeedRun.play(Script(seed: UInt64(seed), foreign: choice), images: images)
                total.add(run.counts)
                guard let violation = run.violation else { continue }
                Issue.record("\(Failure(violation, await run.shrunk(images: images)).text)")
            }
            #expect(Report(total, failures: 0, seconds: 0, foreign: choice).missed == [])
        }

        /// A program deletes a record of a push in flight from a table with two renamed columns.
        @Test func aDeleteFromATableWithOtherNamesIsSeen() async throws {
            let script = Script(seed: 7_134_760, foreign: .every(ForeignKind.allCases))
            let places = [0, 4, 7, 8, 9, 12, 13, 15, 16, 25, 31, 32, 34, 40]
            let run = await SeedRun.play(script.keeping(places), images: try SampleImages())
            #expect(run.violation == nil)
        }

        @Test(
            arguments: [
                // A trigger that a program deletes from `sqlite_schema` without another schema version.
                7_151_469,
                // A boolean of 2, in a row of which another program changes other columns.
                7_151_945,
                // A push of several parts, sealed before a purge for which its replica has to resynchronise fully.
                7_157_950,
                // A table that a program replaces while a new record of it is in transit.
                7_158_152,
                // Two devices that undelete one record, which stays hidden with its parent.
                7_159_008,
                // Two triggers that keep a row from being deleted, of which neither can be bypassed alone.
                7_159_373,
            ])
        func foreignSeedHoldsItsPromises(seed: UInt64) async throws {
            let script = Script(seed: seed, foreign: .every(ForeignKind.allCases))
            let run = await SeedRun.play(script, images: try SampleImages())
            #expect(run.violation == nil)
        }

        @Test(arguments: [3, 12])
        func oneForeignSeedIsPlayedTheSameTwice(seed: UInt64) async throws {
            let images = try SampleImages()
            let script = Script(seed: seed, foreign: .every([.statements, .derived, .unique, .touching, .blobs]))
            let first = await SeedRun.play(script, images: images)
            let second = await SeedRun.play(script, images: images)
            #expect(first.traceHash == second.traceHash)
            #expect(first.violation == second.violation)
            #expect(first.counts.foreign == second.counts.foreign)
        }
    }
}

import Simulation
import Testing

@Suite(.serialized) struct SimulationTests {
    @Test func shortRun() async throws {
        let images = try SampleImages()
        for seed in 1...20 {
            let run = await SeedRun.play(Script(seed: UInt64(seed)), images: images)
            #expect(run.violation == nil)
        }
    }
}

/// The result of one seed.
package struct SeedRun: Sendable {
    package var script: Script
    package var counts: Counts
    package var traceHash: UInt64
    package var lines: [String]
    package var violation: Violation?

    /// Runs a script to its end or to the first violated promise.
    package static func play(_ script: Script, images: SampleImages, keepsLines: Bool = false) async -> SeedRun {
        var violation: Violation?
        let simulation: Simulation
        do {
            simulation = try Simulation(script, images: images, keepsLines: keepsLines)
        } catch {
            return SeedRun(
                script: script, counts: Counts(), traceHash: 0, lines: [],
                violation: Violation(.session, "the world cannot be made: \(error)"))
        }
        do {
            try await simulation.run()
        } catch let found as Violation {
            violation = found
        } catch {
            violation = Violation(.session, "an error that nobody expected: \(error)")
        }
        return SeedRun(
            script: script, counts: simulation.counts, traceHash: simulation.trace.hash, lines: simulation.trace.lines,
            violation: violation)
    }

    /// Returns the run with the fewest steps that still violates the promise, found by leaving out ever smaller parts.
    package func shrunk(images: SampleImages, triesMax: Int = 400) async -> SeedRun {
        guard let promise = violation?.promise else { return self }
        var best = self
        var size = max(1, best.script.places.count / 2)
        var tries = 0
        while size >= 1, tries < triesMax {
            var start = 0
            var hasShrunk = false
            while start < best.script.places.count, tries < triesMax {
                var places = best.script.places
                places.removeSubrange(start..<min(start + size, places.count))
                tries += 1
                let shorter = await Self.play(best.script.keeping(places), images: images)
                if shorter.violation?.promise == promise {
                    best = shorter
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1, !hasShrunk { break }
            size = hasShrunk && size == 1 ? 1 : max(1, size / 2)
        }
        return best
    }
}

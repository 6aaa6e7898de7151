/// What came of losing the power at every operation of some work.
package struct PowerLossRun: Sendable {
    package var images = 0
    package var points = 0
    /// Images in which something was lost or torn.
    package var damaged = 0
    /// Those of them in which a sector was torn.
    package var torn = 0
    package var violation: Violation?

    /// Whether every promise held, and enough was lost to tell.
    package var isGood: Bool { violation == nil && missed.isEmpty }

    /// Floors that were not reached; below 500 images none is asked for.
    package var missed: [String] {
        guard images >= 500 else { return [] }
        return [("damaged", damaged, images / 3), ("torn", torn, images / 10)].compactMap { name, count, floor in
            count < floor ? "\(name): \(count), at least \(floor) are asked for" : nil
        }
    }

    mutating func note(_ losses: SimulatedDisk.Losses) {
        damaged += losses.lost + losses.torn > 0 ? 1 : 0
        torn += losses.torn > 0 ? 1 : 0
    }

    mutating func add(_ other: PowerLossRun) {
        images += other.images
        points += other.points
        damaged += other.damaged
        torn += other.torn
        violation = violation ?? other.violation
    }

    /// Plays the work of seeds, a device's and a server's in turn, until there are enough images.
    ///
    /// - Parameter imagesPerPoint: Images of each operation that the power is lost at.
    package static func play(images wanted: Int, from seed: UInt64, imagesPerPoint: Int = 12) async -> PowerLossRun {
        var total = PowerLossRun()
        do {
            let images = try SampleImages()
            var seed = seed
            while total.images < wanted, total.violation == nil {
                let client = ClientPowerLoss(seed: seed, images: images)
                total.add(try client.run(imagesPerPoint: imagesPerPoint))
                if total.violation == nil {
                    total.add(try await ServerPowerLoss(seed: seed).run(imagesPerPoint: imagesPerPoint))
                }
                seed += 1
            }
        } catch let violation as Violation {
            total.violation = violation
        } catch {
            total.violation = Violation(.session, "the work cannot be done: \(error)")
        }
        return total
    }
}

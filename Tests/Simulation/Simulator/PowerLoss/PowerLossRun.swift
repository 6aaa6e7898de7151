/// The result of power failures at every operation of some work.
package struct PowerLossRun: Sendable {
    package var images = 0
    package var points = 0
    /// The number of images in which something was lost or torn.
    package var damaged = 0
    /// The number of images in which a sector was torn.
    package var torn = 0
    package var violation: Violation?

    /// Whether every promise held, with enough losses to tell.
    package var isGood: Bool { violation == nil && missed.isEmpty }

    /// The minimum counts that were not reached; empty below 500 images.
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

    /// Runs the work of seeds, alternating between a device and a server, until there are enough images.
    ///
    /// - Parameter imagesPerPoint: The number of images for each operation at which the power fails.
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

/// Why an input fails.
struct FuzzFailure: Error, CustomStringConvertible {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    var description: String { reason }
}

/// Something that reads bytes of others.
protocol FuzzTarget {
    /// Inputs of the kind that it is made for; more are made of them.
    var samples: [[UInt8]] { get }
    /// Pieces that mean something to it.
    var words: [[UInt8]] { get }
    var bytesMax: Int { get }
    /// Seconds of processor time that an input of so many bytes may take.
    func budget(_ bytes: Int) -> Double
    /// - Returns: The answer in short: inputs with a new one are worth mutating.
    /// - Throws: ``FuzzFailure`` where a property does not hold.
    func play(_ input: [UInt8]) throws -> String
}

extension FuzzTarget {
    var words: [[UInt8]] { [] }
    var bytesMax: Int { 20_000 }

    /// A debug build takes 20 to 50 times as long as an optimised one.
    func budget(_ bytes: Int) -> Double {
        #if DEBUG
            return 0.25 + Double(bytes) * 50e-6
        #else
            return 0.01 + Double(bytes) * 2e-6
        #endif
    }

    /// Plays an input as often as it takes to be sure of the time.
    func judge(_ input: [UInt8]) throws -> FuzzFailure? {
        var least = Double.infinity
        for _ in 0..<3 {
            let began = FuzzWorker.processorSeconds()
            do { _ = try play(input) } catch let failure as FuzzFailure { return failure }
            least = min(least, FuzzWorker.processorSeconds() - began)
            if least <= budget(input.count) { return nil }
        }
        let (milliseconds, budget) = (Int(least * 1000), Int(budget(input.count) * 1000))
        return FuzzFailure("\(input.count) bytes take \(milliseconds) ms of processor time, the budget is \(budget) ms")
    }

    /// The words of an error without what an input chose, so that the kinds of answers stay few.
    static func kind(of error: any Error) -> String {
        "\(error)".split(whereSeparator: { $0 == "\"" || $0.isNumber }).enumerated().filter {
            $0.offset.isMultiple(of: 2)
        }
        .map { String($0.element.prefix(40)) }.joined(separator: "#")
    }
}

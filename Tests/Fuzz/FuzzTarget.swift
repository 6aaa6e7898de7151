/// The reason why an input fails.
struct FuzzFailure: Error, CustomStringConvertible {
    let reason: String

    init(_ reason: String) { self.reason = reason }

    var description: String { reason }
}

/// Code that reads untrusted bytes.
protocol FuzzTarget {
    /// Inputs of the expected kind, as seeds for mutation.
    var samples: [[UInt8]] { get }
    /// Tokens that have a meaning for the target.
    var words: [[UInt8]] { get }
    var bytesMax: Int { get }
    /// Returns the seconds of processor time that an input of this many bytes may take.
    func budget(_ bytes: Int) -> Double
    /// Runs the target on an input.
    ///
    /// - Returns: The answer in short. An input with a new answer is worth mutating.
    /// - Throws: ``FuzzFailure`` where a property does not hold.
    func play(_ input: [UInt8]) throws -> String
}

extension FuzzTarget {
    var words: [[UInt8]] { [] }
    var bytesMax: Int { 20_000 }

    /// Allows for a debug build, which takes 20 to 50 times as long as an optimised one.
    func budget(_ bytes: Int) -> Double {
        #if DEBUG
            return 0.25 + Double(bytes) * 50e-6
        #else
            return 0.01 + Double(bytes) * 2e-6
        #endif
    }

    /// Plays an input up to three times, so that a single slow run is no failure.
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

    /// Returns an error's words without the parts that an input chose, so that there are few kinds of answers.
    static func kind(of error: any Error) -> String {
        "\(error)".split(whereSeparator: { $0 == "\"" || $0.isNumber }).enumerated().filter {
            $0.offset.isMultiple(of: 2)
        }
        .map { String($0.element.prefix(40)) }.joined(separator: "#")
    }
}

/// A random number generator whose numbers follow from its seed, equal on every machine (S. Vigna, SplitMix64).
///
///     var random = SplitMix64(state: 7)
///     let number = Int.random(in: 0..<10, using: &random)
///
/// Sessions, benchmarks and tests repeat a run from its seed. The numbers are predictable: secrets need the system's
/// generator.
package struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64

    /// Makes a generator with a seed.
    package init(state: UInt64) {
        self.state = state
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

internal import RoostModel

/// The random source of the foreign writer.
struct ForeignRandom: Sendable {
    private var source: SplitMix64

    init(_ seed: UInt64) { source = SplitMix64(state: seed) }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &source) }

    mutating func pick<Item>(_ items: [Item]) -> Item { items[number(0...items.count - 1)] }

    mutating func maybe<Item>(_ items: [Item]) -> Item? { items.isEmpty ? nil : pick(items) }

    /// Returns `true` with a chance of one in `count`.
    mutating func isOne(of count: Int) -> Bool { number(1...count) == 1 }
}

import Objects
import RoostModel
import Testing

/// The position keys that have to be written to insert an object at an index.
@Suite struct PlacementTests {
    /// An object of a list.
    private struct Item {
        let number: Int
        var key: String?

        func isBefore(_ other: Item) -> Bool {
            guard key?.utf8.elementsEqual((other.key ?? "").utf8) != true || other.key == nil else {
                return number < other.number
            }
            guard let key, let second = other.key else {
                return key == nil && other.key == nil ? number < other.number : key != nil
            }
            return key.utf8.lexicographicallyPrecedes(second.utf8)
        }
    }

    private static func sorted(_ items: [Item]) -> [Item] { items.sorted { $0.isBefore($1) } }

    @Test(arguments: 0..<4) func everyListTakesAnObjectAnywhere(_ seed: UInt64) {
        var random = SplitMix64(state: seed)
        let texts = ["V", "V", "W", "X", "VV", "VU", "uz", "5z", "", "é", "no key", "0", "zzzzzzz"]
        for _ in 0..<3000 {
            let items = Self.sorted(
                (0..<Int.random(in: 0...7, using: &random)).map { number in
                    Item(
                        number: number * 2,
                        key: Int.random(in: 0..<4, using: &random) == 0 ? nil : texts.randomElement(using: &random))
                })
            let index = Int.random(in: 0...items.count, using: &random)
            let placement = Placement(at: index, among: items.map(\.key))
            var after = items
            for (place, key) in placement.others { after[place].key = key }
            after.insert(Item(number: Int.random(in: 0...7, using: &random) * 2 + 1, key: placement.key), at: index)
            #expect(Self.sorted(after).map(\.number) == after.map(\.number), "\(items) at \(index): \(placement)")
            #expect(placement.others.values.allSatisfy { PositionKey($0) != nil } && PositionKey(placement.key) != nil)
        }
    }

    @Test(arguments: [
        (["V", "W", "X"], 1, []), (["V", "W", "X"], 0, []), (["V", "W", "X"], 3, []), ([], 0, []),
        // Two devices wrote one key.
        (["V", "W", "W", "X"], 2, [2]), (["V", "W", "W", "X"], 1, []), (["V", "W", "W", "X"], 3, []),
        (["W", "W", "W"], 1, [1, 2]),
        // Some objects have no key.
        (["V", nil, nil], 1, []), (["V", nil, nil], 2, [1]), (["V", nil, nil], 3, [1, 2]), ([nil], 0, []),
        // Some objects have an invalid key.
        (["!", "V", "W"], 1, [0]), (["!", "V", "W"], 2, []), (["V", "a b", "zzz?"], 1, [1, 2]),
    ])
    func othersAreWrittenOnlyWhereThereIsNoRoom(_ keys: [String?], _ index: Int, _ written: [Int]) {
        #expect(Placement(at: index, among: keys).others.keys.sorted() == written)
    }
}

import Objects
import RoostModel
import Testing

/// Keys of positions in a list. There is always a key between two others, keys sort as texts, and they stay short.
@Suite struct PositionKeyTests {
    /// A list of keys.
    private struct Keys {
        var keys: [PositionKey] = []
        var length = 0

        mutating func insert(at index: Int) {
            let low = index > 0 ? keys[index - 1] : nil
            let key = PositionKey.between(low, index < keys.count ? keys[index] : nil)
            length = max(length, key.text.utf8.count)
            keys.insert(key, at: index)
        }

        /// Whether the texts sort by bytes in the order of the list, and decode to the keys that they encode.
        var isSound: Bool {
            let texts = keys.map(\.text)
            let isSorted = zip(texts, texts.dropFirst()).allSatisfy { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            return isSorted && texts.map { PositionKey($0) } == keys
        }
    }

    /// The maximum length of a key after ten thousand inserts at one place.
    @Test(arguments: [
        ("the end", 4), ("the beginning", 4), ("behind the first", 5), ("before the last", 5),
        ("the middle, forwards", 5),
    ])
    func tenThousandInsertsKeepKeysShort(_ place: String, _ lengthMax: Int) {
        var list = Keys()
        for number in 0..<10_000 {
            switch place {
            case "the end": list.insert(at: number)
            case "the beginning": list.insert(at: 0)
            case "behind the first": list.insert(at: min(1, number))
            case "before the last": list.insert(at: max(0, number - 1))
            default: list.insert(at: number < 10 ? number : number - 5)
            }
        }
        #expect(list.isSound)
        #expect(list.length <= lengthMax, "\(place): \(list.length)")
    }

    /// The worst case: each key is inserted between the two before it.
    @Test func insertsBetweenTheLastTwoCostACharacterForTwo() {
        var list = Keys()
        for index in 0..<2 { list.insert(at: index) }
        var index = 1
        for number in 0..<1000 {
            list.insert(at: index)
            index += number % 2
        }
        #expect(list.isSound)
        #expect(list.length <= 502, "\(list.length)")
    }

    @Test(arguments: 0..<5) func randomInsertsAndRemovals(_ seed: UInt64) {
        var random = SplitMix64(state: seed)
        var list = Keys()
        for _ in 0..<4000 {
            if !list.keys.isEmpty, Int.random(in: 0..<4, using: &random) == 0 {
                list.keys.remove(at: Int.random(in: 0..<list.keys.count, using: &random))
            } else {
                list.insert(at: Int.random(in: 0...list.keys.count, using: &random))
            }
        }
        #expect(list.isSound)
        #expect(list.length <= 30, "\(list.length)")
    }

    @Test(arguments: ["", " ", "a b", "é", "0", "5", "uz ", "u", "zzzz", "zzzzzzz", "0000000", "V-"])
    func whatIsNoKeyIsNotRead(_ text: String) { #expect(PositionKey(text) == nil) }

    @Test(arguments: [("V", "W"), ("V", "VV"), ("6", "7"), ("t", "u0"), ("5z", "6"), ("uz", "v00")])
    func somethingIsBetween(_ low: String, _ high: String) throws {
        let (first, second) = (try #require(PositionKey(low)), try #require(PositionKey(high)))
        let key = PositionKey.between(first, second).text
        #expect(low.utf8.lexicographicallyPrecedes(key.utf8) && key.utf8.lexicographicallyPrecedes(high.utf8), "\(key)")
    }
}

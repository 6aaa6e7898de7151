import RoostModel

/// Makes inputs by mutating others. Equal seeds give equal inputs.
struct Mutator {
    private var generator: SplitMix64
    /// Tokens to insert.
    var words: [[UInt8]] =
        [
            "\u{0301}", "\u{0600}", "\u{FEFF}", "\u{202E}", "\u{0}", "\u{1B}[2J", "\"", "'", "\\", "\r\n", "\r", ";",
            ",", "{", "}", "[", "]", ":",
            "null", "true", "-1", "0", "1e999", "-0", "007", "9223372036854775807", "9223372036854775808",
            "18446744073709551616", "\\u0000",
            "\\ud800", "\u{00E9}", "e\u{0301}", "--", "/*", "');", "NaN",
        ].map { Array($0.utf8) } + [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
            [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0x80, 0x00], [0x0A, 0x00],
            [0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
        ]

    init(seed: UInt64) { generator = SplitMix64(state: seed) }

    /// Returns a mutation of one of the inputs of a pool.
    mutating func mutated(of pool: [[UInt8]], bytesMax: Int) -> [UInt8] {
        guard var input = pool.randomElement(using: &generator) else { return [] }
        for _ in 0...Int.random(in: 0...Int.random(in: 0...12, using: &generator), using: &generator) {
            mutate(&input, pool)
        }
        return Array(input.prefix(bytesMax))
    }

    private mutating func mutate(_ input: inout [UInt8], _ pool: [[UInt8]]) {
        let place = Int.random(in: 0...input.count, using: &generator)
        let end = min(input.count, place + Int.random(in: 1...16, using: &generator))
        switch Int.random(in: 0..<11, using: &generator) {
        case 0 where place < input.count: input[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1 where place < input.count: input[place] = UInt8.random(in: 0...255, using: &generator)
        case 2: input.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        case 3: input.removeSubrange(place..<end)
        case 4: input.insert(contentsOf: Array(input[place..<end]), at: place)
        case 5, 6: input.insert(contentsOf: words.randomElement(using: &generator) ?? [], at: place)
        case 7: input.replaceSubrange(place..<end, with: words.randomElement(using: &generator) ?? [])
        case 8:
            // One piece is repeated many times, which shows quadratic time.
            let piece =
                Bool.random(using: &generator)
                ? Array(input[place..<end]) : words.randomElement(using: &generator) ?? []
            let times = 1 << Int.random(in: 1...11, using: &generator)
            input.insert(contentsOf: (0..<times).flatMap { _ in piece }, at: place)
        case 9:
            let other = pool.randomElement(using: &generator) ?? []
            let from = Int.random(in: 0...other.count, using: &generator)
            let to = Int.random(in: from...other.count, using: &generator)
            input.insert(contentsOf: other[from..<to], at: place)
        default: input.removeLast(input.count - place)
        }
    }
}

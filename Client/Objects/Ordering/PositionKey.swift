/// A position in a list, as text. There is always another position between two of them, before the first and after the last. A
/// move of an object therefore writes one record, and moves of different objects by two replicas do not conflict.
///
/// The idea is fractional indexing, as David Greenspan describes it in "Implementing Fractional Indexing" (2020): start with a
/// whole number that is written so that texts sort like numbers, and add a fraction only between neighbours. Here a key is a list
/// of such numbers. A key between two keys continues to count within the next number of the list, up or down. Therefore even ten
/// thousand inserts at one position, each before or after the previous one, make keys of a few characters.
///
/// Keys are ordered by the first number in which they differ; a key comes before keys that begin with it. Each number is written
/// in the 62 characters `0` to `9`, `A` to `Z`, `a` to `z`, in the order of their bytes. The characters from `6` to `t` are the
/// numbers -25 to 24. The six characters before and after them tell how many digits follow.
package struct PositionKey: Equatable {
    /// The numbers of the key; at least one.
    private let numbers: [Int]

    private init(_ numbers: [Int]) { self.numbers = numbers }

    /// Reads a key from its text.
    ///
    /// - Returns: `nil` for a text that is not a key, such as one that another program wrote.
    package init?(_ text: String) {
        var numbers: [Int] = []
        var bytes = text.utf8[...]
        while let number = PositionNumber.read(&bytes) { numbers.append(number) }
        guard bytes.isEmpty, !numbers.isEmpty else { return nil }
        self.numbers = numbers
    }

    package var text: String { String(decoding: numbers.flatMap(PositionNumber.bytes), as: UTF8.self) }

    /// Makes a key between two others.
    ///
    /// - Parameters:
    ///   - low: The key before it; `nil` for the beginning of the list.
    ///   - high: The key after it, greater than `low`; `nil` for the end of the list.
    package static func between(_ low: PositionKey?, _ high: PositionKey?) -> PositionKey {
        guard let low else { return PositionKey([(high?.numbers[0] ?? 1) - 1]) }
        guard let high else { return PositionKey([low.numbers[0] + 1]) }
        let common = zip(low.numbers, high.numbers).prefix { $0 == $1 }.count
        let shared = Array(high.numbers[..<common])
        // `high` begins with all of `low`.
        guard common < low.numbers.count else { return PositionKey(shared + [high.numbers[common] - 1]) }
        let (first, second) = (low.numbers[common], high.numbers[common])
        if second - first > 1 { return PositionKey(shared + [first + (second - first) / 2]) }
        let next = common + 1 < low.numbers.count ? low.numbers[common + 1] + 1 : 0
        return PositionKey(shared + [first, next])
    }
}

/// The text form of whole numbers, which sorts like the numbers.
enum PositionNumber {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    /// The value of each byte as a digit; 62 for a byte that is not a digit.
    private static let places: [Int] = (0...255).map { byte in digits.firstIndex(of: UInt8(byte)) ?? 62 }
    /// Maximum number of digits after the first character.
    private static let lengthMax = 6
    private static let smallMin = -25
    private static let smallMax = 24
    /// The number of values above ``smallMax``, or below ``smallMin``, that fewer digits express, by number of digits; the last
    /// element is the limit.
    private static let steps: [Int] = (0...lengthMax).reduce(into: [0]) { steps, length in
        steps.append((steps.last ?? 0) + (length == 0 ? 0 : (0..<length).reduce(1) { power, _ in power * 62 }))
    }

    /// Returns the text of a number.
    ///
    /// - Parameter number: A number that ``read(_:)`` has returned, or one so near to it that the limits leave room.
    static func bytes(_ number: Int) -> [UInt8] {
        guard number < smallMin || number > smallMax else { return [digits[number - smallMin + lengthMax]] }
        let isNegative = number < 0
        let beyond = isNegative ? smallMin - 1 - number : number - smallMax - 1
        let length = (1...lengthMax).first { beyond < steps[$0 + 1] } ?? lengthMax
        var rest = beyond - steps[length]
        var bytes: [UInt8] = []
        for _ in 0..<length {
            bytes.append(digits[isNegative ? 61 - rest % 62 : rest % 62])
            rest /= 62
        }
        return [digits[isNegative ? lengthMax - length : 61 - lengthMax + length]] + bytes.reversed()
    }

    /// Removes a number from the beginning of a text.
    ///
    /// - Returns: `nil` where there is none, or where the number is so large or small that the numbers next to it could run out.
    static func read(_ text: inout Substring.UTF8View) -> Int? {
        guard let first = text.first else { return nil }
        let place = places[Int(first)]
        guard place < 62 else { return nil }
        let small = place - lengthMax + smallMin
        if (smallMin...smallMax).contains(small) {
            text.removeFirst()
            return small
        }
        let isNegative = small < smallMin
        let length = isNegative ? lengthMax - place : place - 61 + lengthMax
        let written = text.dropFirst().prefix(length).map { places[Int($0)] }
        guard written.count == length, !written.contains(62) else { return nil }
        let beyond = steps[length] + written.reduce(0) { $0 * 62 + (isNegative ? 61 - $1 : $1) }
        guard beyond < steps[lengthMax + 1] / 2 else { return nil }
        text.removeFirst(length + 1)
        return isNegative ? smallMin - 1 - beyond : smallMax + 1 + beyond
    }
}

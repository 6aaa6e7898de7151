/// A regular expression compiled to instructions, executed by following all paths at once.
struct RegexProgram: Sendable {
    enum Instruction: Sendable {
        case one(Int)
        case assertion(RegexAssertion)
        case either(Int, Int)
        case jump(Int)
        case match
    }

    private(set) var instructions: [Instruction] = []
    private var sets: [RegexSet] = []
    private let sizeMax: Int

    /// - Returns: `nil` for a program of more than `sizeMax` instructions.
    init?(_ node: RegexNode, _ sizeMax: Int) {
        self.sizeMax = sizeMax
        guard append(node), instructions.count < sizeMax else { return nil }
        instructions.append(.match)
    }

    // MARK: Compiling

    /// - Returns: Whether the instruction fits.
    private mutating func append(_ node: RegexNode) -> Bool {
        guard instructions.count < sizeMax else { return false }
        switch node {
        case .one(let set):
            sets.append(set)
            instructions.append(.one(sets.count - 1))
            return true
        case .assertion(let assertion):
            instructions.append(.assertion(assertion))
            return true
        case .sequence(let nodes):
            for node in nodes where !append(node) { return false }
            return true
        case .either(let nodes): return append(alternatives: nodes)
        case .repeated(let node, let least, let most): return append(node, least, most)
        }
    }

    private mutating func append(alternatives nodes: [RegexNode]) -> Bool {
        var jumps: [Int] = []
        for node in nodes.dropLast() {
            let split = instructions.count
            instructions.append(.either(split + 1, 0))
            guard append(node) else { return false }
            jumps.append(instructions.count)
            instructions.append(.jump(0))
            instructions[split] = .either(split + 1, instructions.count)
        }
        guard nodes.last.map({ append($0) }) ?? true else { return false }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
        return true
    }

    private mutating func append(_ node: RegexNode, _ least: Int, _ most: Int?) -> Bool {
        // An unbounded repetition of nothing would never end.
        let start = instructions.count
        for count in 0..<least {
            guard append(node) else { return false }
            if count == 0, instructions.count == start { return true }
        }
        guard let most else {
            let split = instructions.count
            instructions.append(.either(split + 1, 0))
            guard append(node) else { return false }
            instructions.append(.jump(split))
            instructions[split] = .either(split + 1, instructions.count)
            return true
        }
        var splits: [Int] = []
        for _ in least..<max(least, most) {
            splits.append(instructions.count)
            instructions.append(.either(instructions.count + 1, 0))
            guard append(node), instructions.count < sizeMax else { return false }
        }
        for split in splits { instructions[split] = .either(split + 1, instructions.count) }
        return true
    }

    // MARK: Running

    /// Whether the entire text matches, in at most `instructions.count` steps for each character and the end.
    func matches(_ text: RegexText, _ steps: inout Int) -> Bool {
        var (current, next) = (Ways(instructions.count), Ways(instructions.count))
        follow(0, at: 0, text, &current, &steps)
        for offset in text.characters.indices {
            guard !current.ends.isEmpty else { return false }
            let forms = text[offset]
            for way in current.ends {
                guard case .one(let set) = instructions[way], sets[set].contains(forms) else { continue }
                follow(way + 1, at: offset + 1, text, &next, &steps)
            }
            swap(&current, &next)
            next.clear()
        }
        return current.ends.contains { if case .match = instructions[$0] { true } else { false } }
    }

    /// The set of instructions reached at one offset of the text.
    private struct Ways {
        /// Instructions that consume a character, and the final match.
        var ends: [Int] = []
        /// Instructions that are still to be followed.
        var open: [Int] = []
        /// The last round in which each instruction was reached.
        private var reached: [Int]
        private var round = 1

        init(_ count: Int) { reached = Array(repeating: 0, count: count) }

        mutating func clear() {
            ends.removeAll(keepingCapacity: true)
            round += 1
        }

        /// - Returns: Whether the instruction is new in this round.
        mutating func reach(_ instruction: Int) -> Bool {
            guard reached[instruction] != round else { return false }
            reached[instruction] = round
            return true
        }
    }

    private func follow(
        _ start: Int, at offset: Int, _ text: RegexText, _ ways: inout Ways, _ steps: inout Int
    ) {
        ways.open.append(start)
        while let instruction = ways.open.popLast() {
            guard ways.reach(instruction) else { continue }
            steps += 1
            switch instructions[instruction] {
            case .one, .match: ways.ends.append(instruction)
            case .jump(let target): ways.open.append(target)
            case .either(let first, let second):
                ways.open.append(second)
                ways.open.append(first)
            case .assertion(let assertion):
                if Self.holds(assertion, at: offset, text.characters) {
                    ways.open.append(instruction + 1)
                }
            }
        }
    }

    private static func holds(_ assertion: RegexAssertion, at offset: Int, _ text: [RegexCharacter]) -> Bool {
        func isWord(_ offset: Int) -> Bool { text.indices.contains(offset) && text[offset].isWord }
        switch assertion {
        case .start: return offset == 0
        case .veryEnd: return offset == text.count
        case .end: return offset == text.count || offset == text.count - 1 && text[offset].isNewline
        case .wordBoundary: return isWord(offset - 1) != isWord(offset)
        case .noWordBoundary: return isWord(offset - 1) == isWord(offset)
        }
    }
}

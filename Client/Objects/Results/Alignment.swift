/// The elements that stay in place from one list to another: a longest common subsequence. No element may occur twice in a list.
struct Alignment {
    /// Elements that stay, and are consecutive in both lists.
    struct Run {
        var old: Int
        var new: Int
        var count: Int
    }

    /// The elements that stay, in order.
    private(set) var runs: [Run] = []
    private let oldCount: Int
    private let newCount: Int

    /// Compares both ends first, and searches for partners only between them. The ends belong to some longest common subsequence,
    /// so the result is still a longest one.
    ///
    /// - Parameter changed: Elements that changed. Of several longest common subsequences, one with as few of them as possible is
    ///   chosen.
    init<Element: Hashable>(from old: [Element], to new: [Element], changed: Set<Element> = []) {
        oldCount = old.count
        newCount = new.count
        let prefix = Self.commonPrefix(old, new)
        let suffix = Self.commonSuffix(old.dropFirst(prefix), new.dropFirst(prefix))
        let oldMiddle = old[prefix..<(old.count - suffix)]
        let newMiddle = new[prefix..<(new.count - suffix)]
        runs.append(joining: Run(old: 0, new: 0, count: prefix))
        if !oldMiddle.isEmpty, !newMiddle.isEmpty {
            var partners = Partners(old: oldMiddle, new: newMiddle)
            for run in Self.staying(partners.blocks(), in: new, changed) { runs.append(joining: run) }
        }
        runs.append(joining: Run(old: old.count - suffix, new: new.count - suffix, count: suffix))
    }

    /// Returns the blocks that stay: a choice with the most elements, and among equal choices one with the most unchanged
    /// elements.
    private static func staying<Element: Hashable>(
        _ blocks: [Run], in new: [Element], _ changed: Set<Element>
    ) -> [Run] {
        let isInOrder = zip(blocks, blocks.dropFirst()).allSatisfy { $0.old < $1.old }
        guard !isInOrder else { return blocks }
        let sought = SoughtElements(changed)
        let weights = blocks.map { block in
            // One more element outweighs all unchanged ones together.
            guard !changed.isEmpty else { return block.count }
            let unchanged = new[block.new..<(block.new + block.count)].count { !sought.contains($0) }
            return block.count * (new.count + 1) + unchanged
        }
        var chain = HeaviestChain(blocks: blocks, weights: weights)
        return chain.chain()
    }

    /// The indices in the old list of the elements that do not stay, ascending.
    var departures: [Int] { Self.gaps(runs.map { $0.old..<($0.old + $0.count) }, upTo: oldCount) }

    /// The indices in the new list of the elements that were not in place, ascending.
    var arrivals: [Int] { Self.gaps(runs.map { $0.new..<($0.new + $0.count) }, upTo: newCount) }

    private static func gaps(_ ranges: [Range<Int>], upTo end: Int) -> [Int] {
        var gaps: [Int] = []
        var next = 0
        for range in ranges {
            gaps.append(contentsOf: next..<range.lowerBound)
            next = range.upperBound
        }
        gaps.append(contentsOf: next..<end)
        return gaps
    }

    private static func commonPrefix<Element: Equatable>(_ old: [Element], _ new: [Element]) -> Int {
        let end = min(old.count, new.count)
        // Snapshots derived from one another share the storage of unchanged sections.
        let isSameStorage = old.withUnsafeBufferPointer { old in
            new.withUnsafeBufferPointer { new in old.baseAddress == new.baseAddress }
        }
        if isSameStorage { return end }
        var count = 0
        while count < end, old[count] == new[count] { count += 1 }
        return count
    }

    private static func commonSuffix<Element: Equatable>(
        _ old: ArraySlice<Element>, _ new: ArraySlice<Element>
    ) -> Int {
        let end = min(old.count, new.count)
        var count = 0
        while count < end, old[old.endIndex - 1 - count] == new[new.endIndex - 1 - count] { count += 1 }
        return count
    }
}

extension [Alignment.Run] {
    /// Appends a run that comes after the others. A run that is adjacent to the last one in both lists extends it.
    mutating func append(joining run: Alignment.Run) {
        guard run.count > 0 else { return }
        if let last, last.old + last.count == run.old, last.new + last.count == run.new {
            self[count - 1].count += run.count
        } else {
            append(run)
        }
    }
}

/// The pairs of equal elements of two lists. No element may occur twice in a list.
///
/// Elements are compared with their neighbours first. Only elements without a partner nearby are hashed.
struct Partners<Element: Hashable> {
    /// Maximum number of elements skipped in search of the next equal ones.
    private static var reach: Int { 1_000 }

    private let old: ArraySlice<Element>
    private let new: ArraySlice<Element>
    private var found: [Alignment.Run] = []
    private var loneOld: [Int] = []
    private var loneNew: [Int] = []
    /// The remaining number of steps in the search among neighbours. It bounds that search for lists in a very different order,
    /// which are hashed.
    private var steps: Int

    init(old: ArraySlice<Element>, new: ArraySlice<Element>) {
        self.old = old
        self.new = new
        steps = old.count + new.count
    }

    /// Returns the elements of both lists, in the order of the new one, in blocks that are consecutive in both.
    mutating func blocks() -> [Alignment.Run] {
        pairNeighbours()
        pairDistant()
        var blocks: [Alignment.Run] = []
        for run in found.sorted(by: { $0.new < $1.new }) { blocks.append(joining: run) }
        return blocks
    }

    private mutating func pairNeighbours() {
        var (first, second) = (old.startIndex, new.startIndex)
        while first < old.endIndex, second < new.endIndex {
            let count = equalElements(first, second)
            found.append(joining: .init(old: first, new: second, count: count))
            (first, second) = (first + count, second + count)
            guard first < old.endIndex, second < new.endIndex else { break }
            let (firstEnd, secondEnd) = nextEqual(first, second) ?? (first + 1, second + 1)
            loneOld.append(contentsOf: first..<firstEnd)
            loneNew.append(contentsOf: second..<secondEnd)
            (first, second) = (firstEnd, secondEnd)
        }
        loneOld.append(contentsOf: first..<old.endIndex)
        loneNew.append(contentsOf: second..<new.endIndex)
    }

    private func equalElements(_ first: Int, _ second: Int) -> Int {
        let end = min(old.endIndex - first, new.endIndex - second)
        var count = 0
        while count < end, old[first + count] == new[second + count] { count += 1 }
        return count
    }

    /// Finds the next equal elements after two that differ: behind inserts, deletes or equally many replacements.
    private mutating func nextEqual(_ first: Int, _ second: Int) -> (Int, Int)? {
        for step in 1...Self.reach {
            let (isOld, isNew) = (first + step < old.endIndex, second + step < new.endIndex)
            guard steps > 0, isOld || isNew else { return nil }
            steps -= 1
            if isOld, old[first + step] == new[second] { return (first + step, second) }
            if isNew, old[first] == new[second + step] { return (first, second + step) }
            if isOld, isNew, old[first + step] == new[second + step] { return (first + step, second + step) }
        }
        return nil
    }

    private mutating func pairDistant() {
        guard !loneOld.isEmpty, !loneNew.isEmpty else { return }
        let places = Dictionary(loneOld.map { (old[$0], $0) }) { first, _ in first }
        for number in loneNew {
            if let place = places[new[number]] { found.append(.init(old: place, new: number, count: 1)) }
        }
    }
}

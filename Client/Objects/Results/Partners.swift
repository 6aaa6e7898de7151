/// Which element of one list is which of another, where no element occurs twice in a list.
///
/// Elements are looked for near each other first, and only those that are not found so are hashed.
struct Partners<Element: Hashable> {
    /// How many elements are passed over in search of the next equal ones.
    private static var reach: Int { 1_000 }

    private let old: ArraySlice<Element>
    private let new: ArraySlice<Element>
    private var found: [Alignment.Run] = []
    private var loneOld: [Int] = []
    private var loneNew: [Int] = []
    /// The steps that may still be spent on the search for neighbours; lists in quite another order are hashed at once.
    private var steps: Int

    init(old: ArraySlice<Element>, new: ArraySlice<Element>) {
        self.old = old
        self.new = new
        steps = old.count + new.count
    }

    /// The elements that are in both lists, in the order of the new one, in blocks that follow each other in both.
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

    /// The next equal elements after two that are not: behind inserts, deletes or as many replacements.
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

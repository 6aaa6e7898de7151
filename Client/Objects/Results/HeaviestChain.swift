/// The heaviest sequence of blocks that come in one order in both lists: a longest increasing subsequence with weights. O(b log
/// b) for `b` blocks.
struct HeaviestChain {
    private let blocks: [Alignment.Run]
    private let weights: [Int]
    /// For each block, the number of blocks before it in the old list.
    private let ranks: [Int]
    /// For each block, the weight of the heaviest chain that ends with it, and the previous block of that chain.
    private var totals: [Int]
    private var previous: [Int?]
    /// A Fenwick tree over the ranks: the block that ends the heaviest chain of a range.
    private var tree: [Int?]

    /// - Parameters:
    ///   - blocks: Blocks of common elements in the order of the new list.
    ///   - weights: The weight of each block, above 0.
    init(blocks: [Alignment.Run], weights: [Int]) {
        self.blocks = blocks
        self.weights = weights
        var ranks = [Int](repeating: 0, count: blocks.count)
        let inOldOrder = blocks.indices.sorted { blocks[$0].old < blocks[$1].old }
        for (rank, block) in inOldOrder.enumerated() { ranks[block] = rank }
        self.ranks = ranks
        totals = Array(repeating: 0, count: blocks.count)
        previous = Array(repeating: nil, count: blocks.count)
        tree = Array(repeating: nil, count: blocks.count + 1)
    }

    /// Returns the blocks of the heaviest chain, in order.
    mutating func chain() -> [Alignment.Run] {
        for block in blocks.indices {
            previous[block] = heaviest(below: ranks[block])
            totals[block] = weights[block] + total(previous[block])
            enter(block)
        }
        var chain: [Alignment.Run] = []
        var next = heaviest(below: blocks.count)
        while let block = next {
            chain.append(blocks[block])
            next = previous[block]
        }
        return chain.reversed()
    }

    private func total(_ block: Int?) -> Int { block.map { totals[$0] } ?? 0 }

    private func heaviest(below rank: Int) -> Int? {
        var best: Int?
        var node = rank
        while node > 0 {
            if total(tree[node]) > total(best) { best = tree[node] }
            node &= node - 1
        }
        return best
    }

    private mutating func enter(_ block: Int) {
        var node = ranks[block] + 1
        while node < tree.count {
            if totals[block] > total(tree[node]) { tree[node] = block }
            node += node & -node
        }
    }
}

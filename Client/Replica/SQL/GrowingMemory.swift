/// Memory for values that need no care of their own. It is taken bit by bit, stays where it is, and is given back at once, with this.
struct GrowingMemory: ~Copyable {
    /// As much as the memory allocator takes from what it has.
    private static let blockSize = 64 * 1024

    private var blocks: [UnsafeMutableRawBufferPointer] = []
    /// How much of the last block is taken.
    private var used = 0
    /// How many bytes all blocks have.
    private(set) var size = 0

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// Room for some values, which are not initialized.
    mutating func take<Value: BitwiseCopyable>(_: Value.Type, count: Int) -> UnsafeMutableBufferPointer<Value> {
        let bytes = count * MemoryLayout<Value>.stride
        let mask = MemoryLayout<Value>.alignment - 1
        var start = (used + mask) & ~mask
        if blocks.isEmpty || start + bytes > blocks[blocks.count - 1].count {
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes, Self.blockSize), alignment: 16)
            blocks.append(block)
            size += block.count
            start = 0
        }
        used = start + bytes
        return UnsafeMutableRawBufferPointer(rebasing: blocks[blocks.count - 1][start..<used])
            .bindMemory(to: Value.self)
    }
}

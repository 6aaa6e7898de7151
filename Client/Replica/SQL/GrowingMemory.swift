/// An arena for trivial values. It allocates memory block by block and never moves a value. All blocks are freed at once when the
/// arena is destroyed.
struct GrowingMemory: ~Copyable {
    /// The size of a block in bytes. The allocator serves it from memory that it already has.
    private static let blockSize = 64 * 1024

    private var blocks: [UnsafeMutableRawBufferPointer] = []
    /// The number of bytes in use in the last block.
    private var used = 0
    /// The size of all blocks in bytes.
    private(set) var size = 0

    deinit {
        for block in blocks { block.deallocate() }
    }

    /// Allocates memory for `count` values, which are not initialised.
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

/// The output of a decompressor, never more than its bounds allow.
struct BoundedOutput {
    private(set) var bytes: [UInt8] = []
    private let bytesMax: Int
    private let ratioMax: Int
    /// The maximum number of bytes that the ratio allows for this input.
    private let ratioBytesMax: Int

    init(inputCount: Int, bytesMax: Int, ratioMax: Int) {
        self.bytesMax = bytesMax
        self.ratioMax = ratioMax
        let product = inputCount.multipliedReportingOverflow(by: ratioMax)
        ratioBytesMax = max(Compression.ratioFreeBytes, product.overflow ? Int.max : product.partialValue)
    }

    /// Reserves memory for the size that the input states, as far as the bounds allow.
    mutating func reserve(_ count: UInt64) {
        bytes.reserveCapacity(Int(clamping: min(count, UInt64(min(bytesMax, ratioBytesMax)))))
    }

    mutating func append(_ part: UnsafeRawBufferPointer) throws(CompressionError) {
        let count = bytes.count + part.count
        guard count <= bytesMax else { throw .tooLarge(bytesMax: bytesMax) }
        guard count <= ratioBytesMax else { throw .ratioTooHigh(ratioMax: ratioMax) }
        bytes.append(contentsOf: part)
    }
}

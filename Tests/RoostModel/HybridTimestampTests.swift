import RoostModel
import Testing

@Suite struct HybridTimestampTests {
    private static func random(_ generator: inout SplitMix64) -> HybridTimestamp {
        // Few distinct values, so that every field decides some comparisons.
        HybridTimestamp(
            milliseconds: generator.next() % 3 << 40, counter: UInt16(generator.next() % 3) << 8,
            replica: ReplicaID(rawValue: generator.next() % 3 << 60))
    }

    @Test func orderOfBytesIsOrderOfStamps() {
        var generator = SplitMix64(state: 4)
        let stamps = (0..<200).map { _ in Self.random(&generator) }
        let byBytes = stamps.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        #expect(stamps.sorted() == byBytes)
    }

    @Test func orderOfTextIsOrderOfStamps() {
        var generator = SplitMix64(state: 5)
        let stamps = (0..<200).map { _ in Self.random(&generator) }
        #expect(stamps.sorted().map(\.description) == stamps.map(\.description).sorted())
    }

    @Test func fieldsLieWhereTheSpecificationSays() {
        let stamp = HybridTimestamp(
            milliseconds: 0x0102_0304_0506, counter: 0x0708, replica: ReplicaID(rawValue: 0x090A_0B0C_0D0E_0F10))
        #expect(stamp.description == "0102030405060708090a0b0c0d0e0f10")
        #expect(HybridTimestamp(stamp.description) == stamp)
        #expect(HybridTimestamp(bytes: stamp.bytes) == stamp)
    }

    @Test(arguments: ["", "01", "0102030405060708090a0b0c0d0e0f1", "0102030405060708090a0b0c0d0e0f1g"])
    func otherTextIsRefused(_ text: String) {
        #expect(HybridTimestamp(text) == nil)
    }

    @Test func replicaIsSixteenDigits() {
        #expect(ReplicaID(rawValue: 0xAB).description == "00000000000000ab")
        #expect(ReplicaID("00000000000000AB") == ReplicaID(rawValue: 0xAB))
        #expect(ReplicaID("ab") == nil)
    }
}

import RoostModel
import Testing

@Suite struct ScopeDigestTests {
    private static let empty = SlotStamps()

    private static func stamps(_ number: UInt64) -> SlotStamps {
        let stamp = HybridTimestamp(milliseconds: number, counter: 0, replica: ReplicaID(rawValue: 1))
        return SlotStamps(put: .init(stamp: stamp, hash: ContentHash(of: [UInt8(number)])), delete: nil)
    }

    private static func key(_ number: UInt64) -> RecordKey {
        RecordKey(entity: EntityID(1), id: RecordID(high: number, low: 0))
    }

    private static func digest(_ numbers: [UInt64]) -> ScopeDigest {
        var digest = ScopeDigest()
        for number in numbers { digest.replace(empty, with: stamps(number), of: key(number)) }
        return digest
    }

    @Test func orderDoesNotMatter() {
        var random = SplitMix64(state: 6)
        let numbers = Array(1...50 as ClosedRange<UInt64>)
        #expect(Self.digest(numbers) == Self.digest(numbers.shuffled(using: &random)))
    }

    @Test func replacingIsTakingOutAndPuttingIn() {
        var replaced = Self.digest([1, 2])
        replaced.replace(Self.stamps(2), with: Self.stamps(3), of: Self.key(2))
        var built = Self.digest([1])
        built.replace(Self.empty, with: Self.stamps(3), of: Self.key(2))
        #expect(replaced == built)
    }

    @Test func takingEverythingOutLeavesNothing() {
        var digest = Self.digest([7])
        digest.replace(Self.stamps(7), with: Self.empty, of: Self.key(7))
        #expect(digest == ScopeDigest())
    }

    @Test func everySlotCounts() {
        var deleted = Self.stamps(1)
        deleted.delete = Self.stamps(1).put?.stamp
        var other = Self.stamps(1)
        other.put?.hash = ContentHash(of: [])
        let terms = [Self.stamps(1), deleted, other, SlotStamps(delete: deleted.delete)]
        #expect(Set(terms.map { ScopeDigest.term(Self.key(1), $0) }).count == 4)
    }

    @Test func textComesBack() {
        let digest = Self.digest([1, 2, 3])
        #expect(ScopeDigest(digest.description) == digest)
        #expect(ScopeDigest(bytes: digest.bytes) == digest)
    }

    @Test(arguments: ["", "+0000000000000000000000000000001", "-0000000000000000000000000000000"])
    func otherTextIsRefused(_ text: String) {
        #expect(ScopeDigest(text) == nil)
    }
}

import RoostMerge
import RoostModel
import Testing

@Suite struct SlotMergeTests {
    private enum Arrival {
        case put(SlotStamps.PutStamp)
        case delete(HybridTimestamp)
    }

    private static func stamp(_ milliseconds: UInt64, _ replica: UInt64 = 1) -> HybridTimestamp {
        HybridTimestamp(milliseconds: milliseconds, counter: 0, replica: ReplicaID(rawValue: replica))
    }

    private static func put(_ milliseconds: UInt64, _ content: UInt8 = 0) -> SlotStamps.PutStamp {
        .init(stamp: stamp(milliseconds), hash: ContentHash(of: [content]))
    }

    /// Few stamps and contents, so that equal ones meet.
    private static func arrivals(_ random: inout SplitMix64) -> [Arrival] {
        (0..<Int.random(in: 1...8, using: &random)).map { _ in
            let time = UInt64.random(in: 1...4, using: &random)
            return Bool.random(using: &random)
                ? .delete(stamp(time)) : .put(put(time, UInt8.random(in: 0...1, using: &random)))
        }
    }

    private static func merged(_ arrivals: [Arrival], into start: SlotStamps = SlotStamps()) -> SlotStamps {
        var slots = start
        for arrival in arrivals {
            switch arrival {
            case .put(let put): _ = SlotMerge.merge(put, into: &slots)
            case .delete(let stamp): _ = SlotMerge.merge(delete: stamp, into: &slots)
            }
        }
        return slots
    }

    private static func join(_ left: SlotStamps, _ right: SlotStamps) -> SlotStamps {
        var slots = left
        if let put = right.put { _ = SlotMerge.merge(put, into: &slots) }
        if let delete = right.delete { _ = SlotMerge.merge(delete: delete, into: &slots) }
        return slots
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func orderAndRepetitionDoNotMatter(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let arrivals = Self.arrivals(&random)
        let again = (arrivals + arrivals).shuffled(using: &random)
        #expect(Self.merged(arrivals) == Self.merged(again))
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func groupingDoesNotMatter(seed: UInt64) {
        var random = SplitMix64(state: seed)
        let slots = (0..<3).map { _ in Self.merged(Self.arrivals(&random)) }
        let left = Self.join(Self.join(slots[0], slots[1]), slots[2])
        #expect(left == Self.join(slots[0], Self.join(slots[1], slots[2])))
        #expect(Self.join(slots[0], slots[1]) == Self.join(slots[1], slots[0]))
        #expect(Self.join(slots[0], slots[0]) == slots[0])
    }

    @Test func putMeetsItsFate() {
        var slots = SlotStamps()
        #expect(SlotMerge.merge(Self.put(5), into: &slots) == .current)
        #expect(SlotMerge.merge(Self.put(5), into: &slots) == .repeated)
        #expect(SlotMerge.merge(Self.put(4), into: &slots) == .beaten)
        #expect(SlotMerge.merge(Self.put(6), into: &slots) == .current)
        #expect(slots.put == Self.put(6))
    }

    @Test func sameStampWithOtherContentIsACollisionThatTheHashDecides() {
        let pair = [Self.put(5, 0), Self.put(5, 1)].sorted()
        var slots = SlotStamps(put: pair[0])
        #expect(SlotMerge.merge(pair[1], into: &slots) == .collision(isCurrent: true))
        #expect(SlotMerge.merge(pair[0], into: &slots) == .collision(isCurrent: false))
        #expect(slots.put == pair[1])
    }

    @Test func deleteMeetsItsFate() {
        var slots = SlotStamps()
        #expect(SlotMerge.merge(delete: Self.stamp(5), into: &slots) == .current)
        #expect(SlotMerge.merge(delete: Self.stamp(5), into: &slots) == .repeated)
        #expect(SlotMerge.merge(delete: Self.stamp(4), into: &slots) == .beaten)
        #expect(SlotMerge.merge(delete: Self.stamp(4, 2), into: &slots) == .beaten)
        #expect(slots.delete == Self.stamp(5))
    }

    @Test(
        arguments: [
            (nil, nil, .absent), (5, nil, .put), (nil, 5, .absent), (5, 4, .put), (5, 5, .deleted), (5, 6, .deleted),
        ] as [(UInt64?, UInt64?, OwnState)])
    func ownStateIsTheGreaterSlot(put: UInt64?, delete: UInt64?, own: OwnState) {
        #expect(SlotStamps(put: put.map { Self.put($0) }, delete: delete.map { Self.stamp($0) }).own == own)
    }
}

import RoostModel
import Testing

@Suite struct RecordIDTests {
    @Test func textIsThatOfAUUID() {
        let id = RecordID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)
        #expect(id.description == "01234567-89ab-cdef-fedc-ba9876543210")
        #expect(RecordID("01234567-89AB-cdef-FEDC-ba9876543210") == id)
    }

    @Test(arguments: [
        "", "0123456789abcdeffedcba9876543210", "01234567-89ab-cdef-fedc-ba987654321",
        "01234567-89ab-cdef-fedc-ba98765432100", "0123456789-ab-cdef-fedc-ba9876543210",
        "01234567-89ab-cdef-fedc-ba987654321g", "01234567-89ab-cdef-fedc-ba98-6543210",
    ])
    func otherTextIsRefused(_ text: String) {
        #expect(RecordID(text) == nil)
    }

    @Test(arguments: [0, 15, 17])
    func onlySixteenBytesAreRead(count: Int) {
        #expect(RecordID(bytes: [UInt8](repeating: 1, count: count)) == nil)
    }

    /// Contiguous bytes are read in place, other bytes are copied first.
    @Test(arguments: [15, 16, 17]) func bytesThatLieApartAreReadLikeOthers(count: UInt8) {
        let apart = (0..<count).lazy.map { $0 ^ 0xA5 }
        #expect(RecordID(bytes: apart) == RecordID(bytes: Array(apart)))
        #expect((RecordID(bytes: apart) == nil) == (count != 16))
        var (one, other) = (ProtobufWriter(), ProtobufWriter())
        one.writeBytes(3, apart)
        other.writeBytes(3, Array(apart))
        #expect(one.bytes == other.bytes)
        #expect(one.bytes.count == Int(count) + 2)
    }

    @Test func bytesComeBack() {
        var random = SplitMix64(state: 1)
        let id = RecordID(milliseconds: 1_700_000_000_000, using: &random)
        #expect(RecordID(bytes: id.bytes) == id)
        #expect(id.bytes.withUnsafeBytes { RecordID(loading: $0.baseAddress!) } == id)
    }

    @Test func laterIdentifierIsGreater() {
        var random = SplitMix64(state: 2)
        let ids = (0..<100).map { RecordID(milliseconds: 1_700_000_000_000 + $0, using: &random) }
        #expect(ids == ids.sorted())
        #expect(ids.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) } == ids.map(\.bytes))
    }

    @Test func newIdentifierHasTheMarksOfVersionSeven() {
        var random = SplitMix64(state: 3)
        let text = Array(RecordID(milliseconds: 1, using: &random).description)
        #expect(text[14] == "7")
        #expect("89ab".contains(text[19]))
    }

    @Test func samePartsGiveTheSameIdentifier() {
        #expect(RecordID(derivedFrom: ["a", "b"]) == RecordID(derivedFrom: ["a", "b"]))
        #expect(RecordID(derivedFrom: ["a", "b"]).description == "16275ef0-f5d0-eb9d-d9e0-a53277549fda")
    }

    @Test func partsDoNotRunIntoEachOther() {
        #expect(RecordID(derivedFrom: ["ab", "c"]) != RecordID(derivedFrom: ["a", "bc"]))
    }
}

import RoostModel
import Testing

@Suite struct ContentCodingTests {
    private static let values: [Value] = [
        .null, .string(""), .string("é\0😀"), .integer(0), .integer(-1), .integer(.min), .integer(.max), .double(-0.5),
        .double(.infinity), .boolean(false), .boolean(true), .data([]), .data([0, 255]),
    ]

    @Test func everyValueComesBack() throws {
        let fields = Self.values.enumerated().map {
            ContentCoding.Field(property: PropertyID(UInt32($0 + 1)), value: $1)
        }
        #expect(try ContentCoding.decode(ContentCoding.encode(fields)) == fields)
    }

    @Test func bytesAreThoseOfTheProtocol() {
        let fields = [
            ContentCoding.Field(property: PropertyID(1), value: .string("a")),
            ContentCoding.Field(property: PropertyID(300), value: .integer(-1)),
            ContentCoding.Field(property: PropertyID(301), value: .null),
        ]
        #expect(Hex.encode(ContentCoding.encode(fields)) == "0a0508011201610a0508ac0218010a0308ad02")
    }

    @Test func fieldsThatAreNotKnownArePassedOver() throws {
        // Field 1 { property: 7, value.boolean: true, 9: 5 }, then a field 3 of eight bytes.
        let bytes: [UInt8] = [0x0A, 6, 0x08, 7, 0x28, 1, 0x48, 5, 0x19, 1, 2, 3, 4, 5, 6, 7, 8]
        #expect(try ContentCoding.decode(bytes) == [.init(property: PropertyID(7), value: .boolean(true))])
    }

    @Test(arguments: [
        "0a", "0a05", "0a02ffff", "0aff", "08", "00", "0b", "0a03120161ff", "0a0bffffffffffffffffffff01",
        "0a0608ffffffff7f", "09000000",
    ])
    func otherBytesAreMalformed(_ hex: String) throws {
        let bytes = try #require(Hex.decode(hex.utf8))
        #expect(throws: ContentError.malformed) { try ContentCoding.decode(bytes) }
    }

    /// Another client may write invalid UTF-8, which a server does not check. Every device decodes it into the same text.
    @Test func textThatIsNotUTF8HasReplacementsForWhatIsNone() throws {
        let bytes: [UInt8] = [0x0A, 7, 0x08, 1, 0x12, 3, 0x61, 0xFF, 0x62]
        #expect(try ContentCoding.decode(bytes) == [.init(property: PropertyID(1), value: .string("a\u{FFFD}b"))])
        try bytes.withUnsafeBytes { bytes in
            var reader = ContentReader(bytes)
            _ = try reader.next()
            #expect(!reader.isCanonical)
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func randomBytesNeverTrap(seed: UInt64) {
        var random = SplitMix64(state: seed)
        for _ in 0..<500 {
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...48, using: &random)
            }
            _ = try? ContentCoding.decode(bytes)
            _ = try? Put(encoded: bytes)
        }
    }
}

import RoostModel
import Testing

@Suite struct PutTests {
    private static let put = Put(
        references: [
            .init(relationship: PropertyID(2), target: RecordID(high: 1, low: 2)),
            .init(relationship: PropertyID(9), target: RecordID(high: 3, low: 4)),
        ], content: ContentCoding.encode([.init(property: PropertyID(1), value: .string("a"))]))

    @Test(arguments: [Put(), put, Put(content: [1, 2, 3])])
    func encodedPutComesBack(_ put: Put) throws {
        #expect(try Put(encoded: put.encoded()) == put)
    }

    @Test func emptyPutIsNoBytes() {
        #expect(Put().encoded().isEmpty)
    }

    @Test func bytesAreThoseOfTheProtocol() {
        #expect(
            Hex.encode(Self.put.encoded())
                == "0a14" + "08021210" + "0000000000000001" + "0000000000000002" + "0a14" + "08091210"
                + "0000000000000003" + "0000000000000004" + "1207" + "0a050801120161")
    }

    @Test func everyTruncationIsReadOrMalformed() throws {
        let bytes = Self.put.encoded()
        for count in bytes.indices {
            do {
                #expect(try Put(encoded: Array(bytes.prefix(count))).encoded() == Array(bytes.prefix(count)))
            } catch {
                #expect(error == .malformed)
            }
        }
    }

    @Test(arguments: ["0a020802", "0a0612040102030408", "0a0808021204010203"])
    func referenceWithoutASoundTargetIsMalformed(_ hex: String) throws {
        let bytes = try #require(Hex.decode(hex.utf8))
        #expect(throws: ContentError.malformed) { try Put(encoded: bytes) }
    }

    @Test func contentHashIsThatOfTheBytes() {
        #expect(Hex.encode(ContentHash(of: []).bytes) == "e3b0c44298fc1c149afbf4c8996fb924")
        #expect(ContentHash(bytes: ContentHash(of: [1]).bytes) == ContentHash(of: [1]))
    }
}

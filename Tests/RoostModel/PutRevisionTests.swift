import RoostModel
import Testing

/// A revision replaces the properties that it names, and leaves all other bytes unchanged.
@Suite struct PutRevisionTests {
    private static let target = [UInt8](repeating: 7, count: 16)
    private static let other = [UInt8](repeating: 8, count: 16)
    private static let reference: [UInt8] = [0x0A, 20, 0x08, 8, 0x12, 16] + target

    private static func field(_ bytes: [UInt8]) -> [UInt8] { [0x0A, UInt8(bytes.count)] + bytes }
    private static func content(_ fields: [UInt8]...) -> [UInt8] {
        let bytes = fields.flatMap(\.self)
        return [0x12, UInt8(bytes.count)] + bytes
    }
    private static let tea = field([0x08, 1, 0x12, 3] + Array("tea".utf8))
    private static let ten = field([0x08, 2, 0x18, 20])

    private func revised(_ put: [UInt8], _ change: (inout PutRevision) -> Void) throws -> [UInt8] {
        var revision = PutRevision()
        change(&revision)
        return try revision.applied(to: put)
    }

    @Test func nothingIsRevisedByNothing() throws {
        #expect(try revised([0xFF]) { _ in } == [0xFF])
    }

    @Test func anAttributeIsReplacedWhereItStands() throws {
        // Fields out of order, a field of a later version within the content, one next to the value, and one after everything.
        let later: [UInt8] = [0x10, 5]
        let tea = Self.field([0x08, 1, 0x12, 3] + Array("tea".utf8) + [0x48, 9])
        let put = Self.content(Self.ten, tea, later) + Self.reference + [0x18, 5]
        let cab = Self.field([0x08, 1, 0x48, 9, 0x12, 3] + Array("cab".utf8))
        #expect(
            try revised(put) { $0.attributes[PropertyID(1)] = .string("cab") }
                == Self.content(Self.ten, cab, later) + Self.reference + [0x18, 5])
    }

    @Test func aValueOfAnUnknownFormIsReplacedWhole() throws {
        let unknown = Self.field([0x08, 1, 0x3A, 1, 0])
        #expect(
            try revised(Self.content(unknown, Self.ten)) { $0.attributes[PropertyID(1)] = .string("tea") }
                == Self.content(Self.tea, Self.ten))
        #expect(
            try revised(Self.content(unknown, Self.ten)) { $0.attributes[PropertyID(2)] = .integer(-1) }
                == Self.content(unknown, Self.field([0x08, 2, 0x18, 1])))
    }

    @Test func anAttributeIsTakenOut() throws {
        let put = Self.reference + Self.content(Self.tea, Self.ten)
        #expect(
            try revised(put) { $0.attributes.updateValue(nil, forKey: PropertyID(2)) }
                == Self.reference + Self.content(Self.tea))
        #expect(
            try revised(Self.reference + Self.content(Self.ten) + [0x18, 5]) {
                $0.attributes.updateValue(nil, forKey: PropertyID(2))
            } == Self.reference + [0x18, 5])
        #expect(
            try revised(put) { $0.attributes[PropertyID(2)] = .some(.null) }
                == Self.reference + Self.content(Self.tea, Self.field([0x08, 2])))
    }

    @Test func anAttributeIsPutInByItsNumber() throws {
        let nine = Self.field([0x08, 9, 0x28, 1])
        #expect(
            try revised(Self.content(Self.tea, nine)) { $0.attributes[PropertyID(2)] = .integer(10) }
                == Self.content(Self.tea, Self.ten, nine))
        #expect(
            try revised(Self.reference + [0x18, 5]) { $0.attributes[PropertyID(2)] = .integer(10) }
                == Self.reference + Self.content(Self.ten) + [0x18, 5])
        #expect(try revised([]) { $0.attributes[PropertyID(2)] = .integer(10) } == Self.content(Self.ten))
    }

    @Test func referencesAreRevisedLikewise() throws {
        let put = [0x0A, 22, 0x08, 8, 0x12, 16] + Self.target + [0x18, 1] + Self.content(Self.tea)
        let id = try #require(RecordID(bytes: Self.other))
        #expect(
            try revised(put) { $0.references[PropertyID(8)] = id }
                == [0x0A, 22, 0x08, 8, 0x12, 16] + Self.other + [0x18, 1] + Self.content(Self.tea))
        #expect(try revised(put) { $0.references.updateValue(nil, forKey: PropertyID(8)) } == Self.content(Self.tea))
        #expect(
            try revised(Self.reference + Self.content(Self.tea)) { $0.references[PropertyID(5)] = id }
                == [0x0A, 20, 0x08, 5, 0x12, 16] + Self.other + Self.reference + Self.content(Self.tea))
        #expect(
            try revised(Self.content(Self.tea)) { $0.references[PropertyID(5)] = id }
                == [0x0A, 20, 0x08, 5, 0x12, 16] + Self.other + Self.content(Self.tea))
    }

    @Test func whatStandsTwiceBecomesOne() throws {
        let coffee = Self.field([0x08, 1, 0x12, 6] + Array("coffee".utf8))
        #expect(
            try revised(Self.content(Self.tea, coffee, Self.ten)) { $0.attributes[PropertyID(1)] = .string("tea") }
                == Self.content(Self.tea, Self.ten))
    }

    @Test func bytesThatAreNoPutAreNotRevised() {
        #expect(throws: ContentError.malformed) {
            try revised([0x12]) { $0.attributes[PropertyID(1)] = .string("tea") }
        }
    }
}

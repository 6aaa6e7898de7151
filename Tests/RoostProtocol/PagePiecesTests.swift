import RoostModel
import RoostProtocol
import Testing

@Suite struct PagePiecesTests {
    @Test(arguments: Samples.pages, [1, 300, 1 << 20])
    func piecesAreTheWholePage(_ page: PullReply, bytesMin: Int) throws {
        let names = try Samples.names()
        var pieces = try PagePieces(protobuf: page.protobuf(), names)
        var text: [UInt8] = []
        while let piece = try pieces.next(bytesMin: bytesMin) { text += piece }
        #expect(text == (try page.json(names).encoded))
        #expect(pieces.unreadable == 0)
        #expect(try pieces.next(bytesMin: 1) == nil)
    }

    @Test func unreadableRecordsAreLeftOut() throws {
        var writer = ProtobufWriter()
        writer.writeBytes(1, [255])
        writer.append(Samples.page.protobuf())
        writer.writeBytes(1, [8])
        let names = try Samples.names()
        var pieces = try PagePieces(protobuf: writer.bytes, names)
        #expect(try pieces.next(bytesMin: .max) == Samples.page.json(names).encoded)
        #expect(pieces.unreadable == 2)
    }

    @Test func aPageWithoutCheckpointIsNone() throws {
        #expect(throws: CodingError.self) { try PagePieces(protobuf: [], try Samples.names()) }
    }
}

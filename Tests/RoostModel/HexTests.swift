import RoostModel
import Testing

@Suite struct HexTests {
    @Test func digitsAreLowerCase() {
        #expect(Hex.encode([0, 0x0F, 0xAB, 0xFF]) == "000fabff")
    }

    @Test(arguments: [("", []), ("00ff", [0, 255]), ("AbCd", [0xAB, 0xCD])] as [(String, [UInt8])])
    func digitsOfEitherCaseAreRead(text: String, bytes: [UInt8]) {
        #expect(Hex.decode(text.utf8) == bytes)
    }

    @Test(arguments: ["0", "0g", "+1", " 1", "0x", "é"])
    func otherTextIsRefused(_ text: String) {
        #expect(Hex.decode(text.utf8) == nil)
    }
}

import Testing

@testable import CekikapeyeApp

struct SplitTextTests {
    @Test func commasOfNumbersStayInThem() {
        let read = Assignments.read(["Ana,Bob=8,50,Chloé=1", " Dora "])
        #expect(read.map(\.name) == ["Ana", "Bob", "Chloé", "Dora"])
        #expect(read.map(\.number) == [nil, "8,50", "1", nil])
    }

    @Test(arguments: [("33", 3300), ("33.3", 3330), ("33,33", 3333), ("100%", 10_000), ("0.05", 5)])
    func percentsAreExact(_ text: String, _ points: Int64) {
        #expect(BasisPoints.read(text) == points)
    }

    @Test(arguments: ["", "%", "-1", "1.234", "1.", ".5", "1e2", "1000", "1.2.3", "١"])
    func otherPercentsAreRefused(_ text: String) {
        #expect(BasisPoints.read(text) == nil)
    }
}

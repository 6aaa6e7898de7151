import Foundation
import RoostMerge
import RoostModel
import TestProcesses
import TestSupport
import Testing

/// `roost replay` with the specification's vectors, through both engines.
@Suite struct ReplayTests {
    @Test(arguments: ["client", "server"])
    func vectorsReadAsSpecified(_ engine: String) throws {
        let vectors = try Vector.all()
        let output = try Programs.run("roost", ["replay", "--engine", engine], input: try input(vectors))
        #expect(output.status == 0, "\(output.error)")
        #expect(output.lines == vectors.map(\.expected))
    }

    @Test func enginesExplainAlike() throws {
        let vectors = try Vector.all()
        let outputs = try ["client", "server"].map {
            try Programs.run("roost", ["replay", "--engine", $0, "--explain"], input: try input(vectors)).lines
        }
        #expect(outputs[0].count == vectors.count)
        #expect(outputs[0] == outputs[1])
    }

    @Test(arguments: ["client", "server"])
    func badLineIsNamed(_ engine: String) throws {
        let lines = "{\"changes\":[]}\n{\"changes\":[{\"record\":\"p\",\"stamp\":\"x\",\"delete\":true}]}\n"
        let output = try Programs.run("roost", ["replay", "--engine", engine], input: lines)
        #expect(output.status == 65)
        #expect(output.lines == ["{}"])
        #expect(output.error.contains("line 2"))
    }

    /// Returns the histories of the vector file, one line of input each.
    private func input(_ vectors: [Vector]) throws -> String {
        let file = Programs.repository.appending(path: "Tests/Vectors/vectors.json")
        let value = try JSONParser.parse(Array(Data(contentsOf: file)))
        return (value["vectors"]?.arrayValue ?? []).map { $0.text + "\n" }.joined()
    }
}

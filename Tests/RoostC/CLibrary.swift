import Foundation
import Glibc
import RoostC
import RoostModel

/// Calls of libroost, made like a C program makes them.
enum CLibrary {
    typealias Function = (Int64, UnsafePointer<CChar>?, Int, TextPointer?, LengthPointer?) -> Int32
    typealias Opening = (UnsafePointer<CChar>?, Int, HandlePointer?, TextPointer?, LengthPointer?) -> Int32

    struct Answer {
        let status: Int32
        let value: JSONValue

        subscript(_ name: String) -> JSONValue? { value[name] }
        /// The code of an error.
        var code: String? { value["code"]?.stringValue }
    }

    /// Calls a function of a handle.
    static func call(_ function: Function, _ handle: Int64, _ json: String = "{}") throws -> Answer {
        try answer { out, length in
            json.utf8CString.withUnsafeBufferPointer { function(handle, $0.baseAddress, $0.count - 1, out, length) }
        }
    }

    /// Calls a function that returns a handle.
    static func open(_ function: Opening, _ json: String) throws -> (handle: Int64, answer: Answer) {
        var handle: Int64 = -1
        let answer = try answer { out, length in
            json.utf8CString.withUnsafeBufferPointer { function($0.baseAddress, $0.count - 1, &handle, out, length) }
        }
        return (handle, answer)
    }

    /// Calls a function, reads its text, and frees it.
    static func answer(_ call: (TextPointer, LengthPointer) -> Int32) throws -> Answer {
        var out: UnsafeMutablePointer<CChar>?
        var length = -1
        let status = call(&out, &length)
        guard let out else { return Answer(status: status, value: .null) }
        defer { _ = freeText(out) }
        let text = String(cString: out)
        guard text.utf8.count == length else { throw JSONError(reason: "the length is \(length)", line: 1, column: 1) }
        return Answer(status: status, value: try JSONParser.parse(text, depthMax: 100))
    }
}

/// A replica of spendings in its own folder, opened through libroost.
final class CReplica {
    let handle: Int64
    let path: String
    private let folder: URL

    static let schema = """
        {"format": 1, "name": "trip", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [
             {"id": 1, "name": "name", "type": "string"},
             {"id": 2, "name": "born", "type": "date", "optional": true},
             {"id": 3, "name": "seen", "type": "timestamp", "optional": true},
             {"id": 4, "name": "photo", "type": "data", "optional": true},
             {"id": 5, "name": "weight", "type": "double", "optional": true},
             {"id": 6, "name": "facts", "type": "json", "optional": true}],
           "relationships": [
             {"id": 10, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person",
              "deleteRule": "cascade"},
             {"id": 11, "name": "teams", "kind": "manyToMany", "destination": "Team", "inverse": "members"}]},
          {"id": 2, "name": "Spending", "attributes": [
             {"id": 1, "name": "content", "type": "string"}, {"id": 2, "name": "amount", "type": "integer"}],
           "relationships": [
             {"id": 10, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"}]},
          {"id": 3, "name": "Team", "attributes": [{"id": 1, "name": "title", "type": "string"}],
           "relationships": [
             {"id": 10, "name": "members", "kind": "manyToMany", "destination": "Person", "inverse": "teams"}]}]}
        """

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "roost-c-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appending(path: "trip.roost").path
        let options = JSONValue.members(
            ("path", .string(path)), ("schema", try JSONParser.parse(Self.schema)), ("durability", .string("normal")))
        let (handle, answer) = try CLibrary.open(createReplica, options.text)
        guard answer.status == 0 else { throw JSONError(reason: answer.value.text, line: 1, column: 1) }
        self.handle = handle
    }

    deinit {
        _ = try? CLibrary.answer { closeReplica(handle, $0, $1) }
        try? FileManager.default.removeItem(at: folder)
    }

    func call(_ function: CLibrary.Function, _ json: String = "{}") throws -> CLibrary.Answer {
        try CLibrary.call(function, handle, json)
    }

    /// Writes operations.
    ///
    /// - Returns: The identifiers of their records.
    @discardableResult
    func write(_ operations: String) throws -> [String] {
        let answer = try call(RoostC.write, "{\"operations\": [\(operations)]}")
        guard answer.status == 0 else { throw JSONError(reason: answer.value.text, line: 1, column: 1) }
        return answer["ids"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    /// Writes one person, and one spending of that person.
    func addDinner() throws -> (person: String, spending: String) {
        let ids = try write(
            """
            {"insert": "Person", "as": "ana", "values": {"name": "Ana"}},
            {"insert": "Spending", "values": {"content": "Dinner", "amount": 3000, "person": {"as": "ana"}}}
            """)
        return (ids[0], ids[1])
    }
}

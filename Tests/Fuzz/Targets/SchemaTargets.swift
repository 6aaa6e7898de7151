import Foundation
import Replica
import RoostModel

/// Schema files.
struct SchemaTarget: FuzzTarget {
    static let trip = #"""
        {"format": 1, "name": "trip", "version": 1, "entities": [
          {"id": 1, "name": "Person", "attributes": [{"id": 1, "name": "name", "type": "string", "default": "x'y"}], "relationships": [
            {"id": 2, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person", "deleteRule": "cascade"}]},
          {"id": 2, "name": "Spending", "attributes": [{"id": 1, "name": "content", "type": "string"},
            {"id": 2, "name": "amount", "type": "integer", "default": "5"}, {"id": 5, "name": "day", "type": "date", "optional": true},
            {"id": 6, "name": "extra", "type": "json", "optional": true}], "relationships": [
            {"id": 3, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings"},
            {"id": 4, "name": "parent", "kind": "toOne", "destination": "Spending", "inverse": "parts", "tree": true},
            {"id": 7, "name": "parts", "kind": "toMany", "destination": "Spending", "inverse": "parent", "deleteRule": "nullify"}]}]}
        """#

    let samples = [
        trip,
        #"{"format":1,"name":"a","entities":[{"id":1,"name":"Old"},{"id":2,"name":"select","attributes":[{"id":1,"name":"rowid","type":"uuid"}]}]}"#,
    ].map { Array($0.utf8) }
    let words = [
        "string", "integer", "double", "boolean", "timestamp", "data", "uuid", "json", "optional", "default", "kind",
        "toMany", "deny",
    ]
    .map { Array($0.utf8) }

    func play(_ input: [UInt8]) throws -> String {
        do {
            let schema = try Schema(json: String(decoding: input, as: UTF8.self))
            guard (try? Schema(json: schema.source))?.source == schema.source else {
                throw FuzzFailure("the source reads otherwise")
            }
            return "taken \(schema.entities.count)"
        } catch let error as SchemaError { return Self.kind(of: error) }
    }
}

/// The creation of replicas. A file is made of every schema that is accepted, and it has no table that the schema did not ask
/// for.
struct ReplicaTarget: FuzzTarget {
    private let schema = SchemaTarget()
    var samples: [[UInt8]] { schema.samples }
    var words: [[UInt8]] { schema.words }
    var bytesMax: Int { 4000 }

    func budget(_ bytes: Int) -> Double { 1 + Double(bytes) * 1e-3 }

    func play(_ input: [UInt8]) throws -> String {
        let answer = try schema.play(input)
        guard answer.utf8.starts(with: "taken".utf8),
            let schema = try? Schema(json: String(decoding: input, as: UTF8.self))
        else {
            return answer
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-fuzz-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            let replica = try Replica.create(at: folder.appending(path: "a.roost").path, schema: schema)
            defer { try? replica.close() }
            let names = try replica.select(
                "SELECT lower(name) FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
            let own = names.count {
                if case .string(let name) = $0.first { !name.utf8.starts(with: "roost_".utf8) } else { true }
            }
            guard own <= schema.entities.count else {
                throw FuzzFailure("\(own) tables for \(schema.entities.count) entities")
            }
            return "made \(schema.entities.count)"
        } catch let error as ReplicaError {
            throw FuzzFailure("the schema is taken, and the file is not made: \(error)")
        }
    }
}

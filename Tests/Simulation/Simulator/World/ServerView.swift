internal import RoostModel
internal import RoostProtocol
internal import RoostService

/// The contents of a server's store for the simulated scope, read in one snapshot.
struct ServerView {
    struct Record {
        var state: RecordState
        var sequence: UInt64
        var author: ReplicaID
    }

    var scope: StoredScope
    var records: [RecordKey: Record] = [:]

    init(_ store: any Store, _ key: ScopeKey) throws {
        guard let scope = try store.read({ try $0.scope(key) }) else {
            throw Violation(.acknowledged, "the server has lost the scope")
        }
        self.scope = scope
        var records: [RecordKey: Record] = [:]
        try store.read { snapshot in
            try snapshot.forEachRecord(in: key, after: 0) { sequence, author, message in
                let state = try RecordState(protobuf: Array(message))
                records[state.key] = Record(state: state, sequence: sequence, author: author)
                return true
            }
        }
        self.records = records
    }
}

internal import GRDB
internal import RoostModel
internal import RoostProtocol

/// The table `roost_push` holds each sealed push as the bytes of its message. They are sent as they are stored.
extension PushRequest {
    /// Stores a push that was sealed.
    ///
    /// - Returns: The bytes of its message.
    func store(in database: Database) throws -> [UInt8] {
        let body = protobuf()
        let query = try database.query("INSERT INTO roost_push(number, body, continues) VALUES (?, ?, ?)")
        query.bind(1, number)
        query.bind(2, body)
        query.bind(3, transactions.last?.continues == true ? 1 : 0)
        try query.run()
        return body
    }

    /// The changes of each transaction.
    var changeGroups: [[Change]] { transactions.map(\.changes) }
}

extension Query {
    /// Reads a sealed push from the column of a row of `roost_push` that holds its bytes.
    func push(_ column: Int32) throws -> PushRequest { try PushRequest(protobuf: bytes(column)) }
}

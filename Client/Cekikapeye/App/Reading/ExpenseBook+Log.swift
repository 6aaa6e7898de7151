internal import Replica
internal import RoostModel

extension ExpenseBook {
    /// The newest changes, newest first.
    package func log(limit: Int) throws -> [LogLine] {
        let json = RecordJSON(replica.schema)
        let devices = try replica.devices()
        return try replica.log(limit: limit).map { entry in
            let object = try replica.content(of: entry.key).flatMap { try? json.object($0, of: entry.key.entity) }
            let title = object?["content"]?.stringValue ?? object?["name"]?.stringValue
            return LogLine(
                milliseconds: entry.stamp.milliseconds, device: devices[entry.stamp.replica],
                entity: json.name(of: entry.key.entity), id: entry.key.id, title: title ?? "",
                isDelete: entry.isDelete, isWaiting: entry.isWaiting)
        }
    }
}

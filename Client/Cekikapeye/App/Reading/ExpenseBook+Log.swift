internal import Replica
internal import RoostModel

extension ExpenseBook {
    /// Returns the newest changes, newest first.
    package func log(limit: Int) throws -> [LogLine] {
        let json = RecordJSON(replica.schema)
        let devices = try replica.devices()
        return try replica.log(limit: limit).map { entry in
            let shown = try replica.content(of: entry.key).map { version($0, entry.key, json) }
            return LogLine(
                milliseconds: entry.stamp.milliseconds, device: devices[entry.stamp.replica],
                entity: json.name(of: entry.key.entity), id: entry.key.id, title: shown?.title ?? "",
                amount: shown?.amount,
                isDelete: entry.isDelete, isWaiting: entry.isWaiting)
        }
    }
}

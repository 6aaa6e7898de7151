internal import RoostModel

/// I12: a delete is a change of one record, made by a user. Its consequences for other records are never sent.
enum OneRecordChecker {
    static func check(_ change: Change, _ stamps: WrittenStamps) throws {
        guard change.kind == .delete, !stamps.isUsers(change) else { return }
        throw Violation(
            .oneRecord, "the delete \(change.stamp) of \(change.key) arrives, and no user made it")
    }
}

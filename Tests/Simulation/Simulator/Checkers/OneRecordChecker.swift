internal import RoostModel

/// I12: a delete is a change of one record, which a user made; what follows from it for others is never sent.
enum OneRecordChecker {
    static func check(_ change: Change, _ stamps: WrittenStamps) throws {
        guard change.kind == .delete, !stamps.isUsers(change) else { return }
        throw Violation(
            .oneRecord, "the delete \(change.stamp) of \(change.key) arrives, and no user made it")
    }
}

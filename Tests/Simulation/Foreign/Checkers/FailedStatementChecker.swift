/// I29: a statement that fails and undoes itself leaves nothing, neither in the tables nor in Roost's own tables.
enum FailedStatementChecker {
    static func check(_ before: FileImage, _ after: FileImage, device: Int, _ statement: ForeignStatement) throws {
        guard before.tables == after.tables, before.hidden == after.hidden else {
            throw Violation(
                .committedWrite, "replica \(device): a statement failed and changed rows: \(statement.sql)")
        }
    }
}

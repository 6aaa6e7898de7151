/// Rows of the table that are measured together.
struct Row: Sendable {
    /// The names that the command line takes.
    var names: [String]
    /// The description of the work for the help text.
    var help: String
    var run: @Sendable (Context) async throws -> [Figure]

    /// All rows, in the order of the table.
    static let all: [Row] = [
        Pushed.row, ManyRecords.row, Live.row, ManyDevices.row, FanOut.row, Memory.row, TrackedInserts.row,
        AppliedRecords.row, DeletedParent.row, SlowLink.row, ObjectWork.row, MigratedFile.row, IdentifierForms.row,
        TypeCheckedConditions.row,
    ]
}

internal import GRDB
internal import RoostModel

extension LogTail {
    /// Journals that the WAL holds transactions that SQLite ignores, unless that was done.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Returns: The sentence to report; `nil` where the loss was journaled before.
    @discardableResult
    func recordLost(in database: Database, at now: Int64) throws -> String? {
        let state = StateStore(database: database)
        guard try isNews(state) else { return nil }
        let notice = notice
        try Journal(database: database, now: now).event("damage", notice)
        try state.set(.lostLog, .data(name))
        try state.set(.untold, [try state.text(.untold), notice].compactMap { $0 }.joined(separator: "\n"))
        return notice
    }

    /// Whether the loss was not journaled before.
    func isNews(_ state: StateStore) throws -> Bool { try state.bytes(.lostLog) != name }

    private var notice: String {
        "The end of the file's log cannot be read: at least \(transactions) transactions are lost here. The file was damaged, or the "
            + "power failed, or a program was ended while it saved. Changes made here that were not sent may be among them; what the "
            + "server has comes back."
    }
}

extension Replica {
    /// Returns the size of the used pages of the file in bytes, including tables of other programs.
    package func bytesInUse() throws -> Int {
        try engineLook("read the size of the file") { database in
            func number(_ pragma: String) throws -> Int {
                Int(clamping: try database.query(pragma).first { $0.integer(0) } ?? 0)
            }
            let pages = try number("PRAGMA page_count") - number("PRAGMA freelist_count")
            return try pages * number("PRAGMA page_size")
        }
    }
}

import TestProcesses

extension Device {
    /// Makes the next sync a full resynchronisation, by storing a digest that differs from the server's.
    func resynchroniseFully() throws {
        try write("update roost_control set digest = zeroblob(16)")
        try check("sync")
    }

    /// Overwrites the first page of an index with zeros, which `roost repair` has to repair by rebuilding the file.
    func damageIndex(_ name: String = "roost_by_2_8") throws {
        try python(
            """
            db.execute("pragma wal_checkpoint(truncate)")
            size = db.execute("pragma page_size").fetchone()[0]
            root = db.execute("select rootpage from sqlite_schema where name = ?", (sys.argv[2],)).fetchone()[0]
            db.close()
            with open(path, "r+b") as file:
                file.seek((root - 1) * size)
                file.write(bytes(size))
            """, name)
    }

    /// Edits a record's text through Roost's command line.
    @discardableResult
    func update(_ entity: String, _ predicate: String, _ setting: String) throws -> Programs.Output {
        try check("update", entity, "--where", predicate, "--set", setting)
    }
}

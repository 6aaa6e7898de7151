internal import Foundation
internal import GRDB

extension Replica {
    /// Makes a damaged replica file anew, in place, from what can be read of it (decision 124).
    ///
    /// All that reads goes into a new file, and that one takes the place of the damaged one in a single transaction: programs that have
    /// the file open go on with it, and whatever dies meanwhile leaves the one or the other. The next synchronisation pulls everything anew.
    /// Changes that wait are kept where they can be read; where the content of one cannot, the journal says so and keeps what was written
    /// together with it. Tables, views, indexes and triggers of other programs are kept. The damaged file is kept beside it, under
    /// ``ReplicaRepair/keptAt``: remove it when it is of no use any more; one of format 6 or earlier has the device token. For a moment that takes
    /// three times the file's size.
    ///
    /// - Returns: `nil` where SQLite finds nothing wrong with the file; it is unchanged.
    /// - Throws: ``ReplicaError``: `corrupt` where what the replica is, the list of what waits, or a table of another program cannot be
    ///   read whole; `busy` where another program synchronises the replica or keeps writing. The file is unchanged then.
    public static func repair(at path: String) throws -> ReplicaRepair? {
        let path = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        guard FileManager.default.fileExists(atPath: path) else {
            throw ReplicaError(
                .notFound, "Cannot repair the replica \"\(path)\": there is no such file. Check the name.")
        }
        try ReplicaFile.checkIsFile(path, "repair")
        let work = InPlaceRepair(path: path, now: Date())
        try translating(path) { try work.checkKind() }
        guard let lease = try SyncLease(on: path) else {
            throw ReplicaError(
                .busy,
                "Cannot repair the replica \"\(path)\": another program synchronises it. Stop it first; roostd repairs what it "
                    + "keeps synchronised.")
        }
        defer { withExtendedLifetime(lease) {} }
        return try translating(path) {
            guard let kept = try work.keep() else { return nil }
            // What waits is listed anew from the records where all else is whole, which is more than can be done without the list. Where
            // that fails, what follows says why.
            var notices: [String] = []
            if let replica = try? Replica(opening: path) {
                notices = (try? replica.checkOutbox())?.notices ?? []
                try replica.close()
            }
            do {
                var repair = try work.run(kept) ?? ReplicaRepair(damagedTables: [], keptAt: kept.path)
                repair.notices = notices + repair.notices
                return repair
            } catch {
                guard !notices.isEmpty else {
                    kept.remove()
                    throw error
                }
                // The list of what waits was made anew: that is to be told, and the file kept as it was.
                let refusal = ReplicaError(translating: error, "repair the replica \"\(path)\"")
                throw ReplicaError(refusal.code, (notices + [refusal.message]).joined(separator: " "))
            }
        }
    }

    /// As ``repair(at:)``, by who synchronises the replica and has it open.
    package func repairInPlace() throws -> ReplicaRepair? {
        let repair = try Self.translating(path) { try InPlaceRepair(path: path, now: Date()).run() }
        if repair != nil { log.noteWrite() }
        return repair
    }

    /// Opens a replica that is to be synchronised, and repairs its file first where it is too damaged to be opened.
    ///
    /// - Throws: ``ReplicaError``; the file is unchanged then.
    public static func repairing(opening path: String) throws -> (replica: Replica, repair: ReplicaRepair?) {
        do {
            return (try Replica(opening: path), nil)
        } catch let error as ReplicaError where error.code == .corrupt {
            guard let repair = try Replica.repair(at: path) else { throw error }
            return (try Replica(opening: path), repair)
        }
    }

    private static func translating<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_NOTADB {
            throw ReplicaError(
                .notAReplica,
                "Cannot repair \"\(path)\": it is no SQLite file, or its start is damaged. Check the name; if it is the replica, keep it, "
                    + "and join the scope again with a new one.")
        } catch let error as DatabaseError where FileFaults.isOfAnotherProgram(error) {
            throw ReplicaError(
                .corrupt,
                "Cannot repair the replica \"\(path)\": a column or an index of another program needs what only that program has "
                    + "(\(error.message ?? "")). It stays as it is. Drop that column or index, and run \"roost repair\" again."
            )
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT {
            throw ReplicaError(
                .corrupt,
                "Cannot repair the replica \"\(path)\": SQLite cannot read it at all (\(error.message ?? "damaged")). It stays as it is. "
                    + "Keep the file, and join the scope again with a new one.")
        } catch {
            throw ReplicaError(translating: error, "repair the replica \"\(path)\"")
        }
    }
}

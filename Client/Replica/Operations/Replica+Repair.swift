internal import Foundation
internal import GRDB

extension Replica {
    /// Rebuilds a corrupt replica file in place, from its readable parts (decision 124).
    ///
    /// All readable rows go into a new file, which replaces the corrupt one in a single transaction. Programs that have the
    /// file open continue with it, and a crash leaves either the old or the new file. The next synchronisation is a full
    /// resynchronisation. Readable pending changes are kept; where the content of one is unreadable, the journal says so and
    /// keeps the other changes of its transaction. Tables, views, indexes and triggers of other programs are kept.
    ///
    /// The corrupt file is kept alongside, at ``ReplicaRepair/keptAt``; remove it when it is no longer needed. A file of
    /// format 6 or earlier contains the device token. The repair temporarily takes three times the file's size.
    ///
    /// - Returns: `nil` if SQLite finds no fault in the file; it is unchanged.
    /// - Throws: ``ReplicaError``: `corrupt` if the replica's state, its outbox, or a table of another program cannot be
    ///   read completely; `busy` if another program synchronises the replica or keeps writing. The file is unchanged then.
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
            let holder = LeaseHolder(of: path)
            throw ReplicaError(
                .busy,
                "Cannot repair the replica \"\(path)\": \(holder.name) synchronises it. \(holder.cure) roostd repairs what it keeps "
                    + "synchronised.")
        }
        defer { withExtendedLifetime(lease) {} }
        return try translating(path) {
            guard let kept = try work.keep() else { return nil }
            // Opening the replica rebuilds a corrupt outbox from the records, if all else is intact. Salvaging cannot do
            // that: it refuses a file without an intact outbox. If the outbox cannot be rebuilt, the salvage reports the
            // reason.
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
                // The outbox was rebuilt. The error reports that, and the copy of the original file is kept.
                let refusal = ReplicaError(translating: error, "repair the replica \"\(path)\"")
                throw ReplicaError(refusal.code, (notices + [refusal.message]).joined(separator: " "))
            }
        }
    }

    /// Repairs like ``repair(at:)``, for the process that holds the lease and has the replica open.
    package func repairInPlace() throws -> ReplicaRepair? {
        let repair = try Self.translating(path) { try InPlaceRepair(path: path, now: Date()).run() }
        if repair != nil { log.recordWrite() }
        return repair
    }

    /// Opens a replica that is to be synchronised, repairing its file first if it is too corrupt to be opened.
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

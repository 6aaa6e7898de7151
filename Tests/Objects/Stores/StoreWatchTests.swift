import GRDB
import Replica
import RoostMerge
import RoostModel
import Synchronization
import Testing

@testable import Objects

/// A session of the same program notifies observers directly, without the file that it writes.
@Suite struct StoreWatchTests {
    /// A replica whose file cannot be watched.
    private final class Unwatchable: StoreBackend {
        let backend: ReplicaBackend

        init(_ replica: Replica) { backend = ReplicaBackend(replica) }

        var name: String { backend.name }
        var schema: Schema { backend.schema }
        var path: String? { "/nowhere/at-all.roost" }
        var writesWithFunctions: Bool { backend.writesWithFunctions }

        func observeRemoteChanges(_ changed: @escaping @Sendable () -> Void) -> RemoteChangeObservation? {
            backend.observeRemoteChanges(changed)
        }
        func read<Result>(_ action: String, _ body: (Database) throws -> Result) throws -> Result {
            try backend.read(action, body)
        }
        func hiddenRecords(_ database: Database) -> HiddenRecords { backend.hiddenRecords(database) }
        func liveness(of record: RecordKey) throws -> Liveness { try backend.liveness(of: record) }
        func write<Result>(_ label: String, _ body: (any StoreTransaction) throws -> Result) throws -> Result {
            try backend.write(label, body)
        }
    }

    @Test(.timeLimit(.minutes(1))) func aPulledPageIsToldOfWithoutTheFile() async throws {
        let library = try TestLibrary()
        let context = library.context()
        let author = try context.make("Author", "Ana")
        try context.save()
        let (told, continuation) = AsyncStream.makeStream(of: Void.self)
        let watch = StoreWatch(Unwatchable(library.replica), standBy: .seconds(3600)) { continuation.yield() }
        var turns = told.makeAsyncIterator()
        // The first notification covers commits made before the watch started.
        await turns.next()
        try library.deleteElsewhere(author.objectID)
        await turns.next()
        withExtendedLifetime(watch) {}
    }
}

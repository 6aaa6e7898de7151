import Foundation
import Glibc
import Replica
import RoostModel
import TestScope
import Testing

/// The lease for synchronising a replica.
@Suite struct SyncLeaseTests {
    @Test func leaseIsOneThroughEveryName() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let link = replica.path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: replica.path)
        let linked = try Replica(opening: link)
        let lease = try #require(try SyncLease(on: replica.replica.path))
        #expect(try SyncLease(on: linked.path) == nil)
        #expect(SyncLease.holder(of: linked.path) == ProcessInfo.processInfo.processIdentifier)
        withExtendedLifetime(lease) {}
    }

    @Test func askingWhoHoldsTheLeaseTakesNothing() throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        #expect(SyncLease.holder(of: replica.path) == nil)
        var lease = try SyncLease(on: replica.path)
        #expect(lease != nil)
        #expect(SyncLease.holder(of: replica.path) != nil)
        lease = nil
        #expect(SyncLease.holder(of: replica.path) == nil)
    }

    /// Messages name this program or another one, by what the lock file says.
    @Test(
        arguments: [
            (nil, "this program", "End its session first."),
            ("4194304", "another program (process 4194304)", "Stop it first."),
            ("none", "another program", "Stop it first."),
        ] as [(String?, String, String)]) func messagesNameTheHolder(_ text: String?, _ name: String, _ cure: String)
        throws
    {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        let lease = try #require(try SyncLease(on: replica.path))
        if let text {
            let file = try FileHandle(forWritingTo: URL(filePath: replica.path + "-sync"))
            try file.write(contentsOf: Data(text.padding(toLength: 20, withPad: " ", startingAt: 0).utf8))
            try file.close()
        }
        let holder = LeaseHolder(of: replica.path)
        #expect(holder.name == name && holder.cure == cure && holder.isThisProgram == (text == nil))
        let error = #expect(throws: ReplicaError.self) { try Replica.repair(at: replica.path) }
        #expect(error?.code == .busy)
        #expect(error?.message.contains("\(name) synchronises it. \(cure)") == true)
        withExtendedLifetime(lease) {}
    }

    /// An attacker who can write to the folder, but not to another file, must not make this program open or create that file.
    @Test(arguments: [true, false]) func aSymbolicLinkIsNoLockFile(isThere: Bool) throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        try? FileManager.default.removeItem(atPath: replica.path + "-sync")
        let other = replica.path + "-other"
        if isThere { try Data("other".utf8).write(to: URL(filePath: other)) }
        try FileManager.default.createSymbolicLink(atPath: replica.path + "-sync", withDestinationPath: other)
        #expect(throws: ReplicaError.self) { _ = try SyncLease(on: replica.replica.path) }
        #expect(FileManager.default.fileExists(atPath: other) == isThere)
        // Closing the replica does not open the file for the WAL either.
        try replica.replica.write("add") {
            try $0.put("Person", id: RecordID(high: 1, low: 1), ["name": .string("Ana")])
        }
        try replica.replica.close()
        #expect(FileManager.default.fileExists(atPath: other) == isThere)
    }

    /// A program that starts another one shares all its open files with it for a moment, and their locks.
    @Test func leaseGivenBackIsFreeWhileAProgramIsBeingStarted() async throws {
        let replica = try TemporaryReplica(TemporaryReplica.people)
        var lease = try SyncLease(on: replica.path)
        #expect(lease != nil)
        let starting = try StartingProgram(beside: replica.path)
        lease = nil
        #expect(SyncLease.holder(of: replica.path) == nil)
        let again = try SyncLease(on: replica.path)
        #expect(again != nil)
        withExtendedLifetime(again) {}
        try await starting.finish()
    }
}

/// A child process held between its start and its program, while it still has its parent's open files.
///
/// Before its program starts, it opens a pipe that has no writer yet.
private struct StartingProgram {
    private let pipe: String
    private let spawned: Task<Int32, Never>

    init(beside path: String) throws {
        let pipe = path + "-pipe"
        let begun = path + "-begun"
        try #require(mkfifo(pipe, 0o600) == 0)
        let (results, result) = AsyncStream.makeStream(of: Int32.self)
        Thread.detachNewThread {
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, 0, begun, O_WRONLY | O_CREAT, 0o600)
            posix_spawn_file_actions_addopen(&actions, 0, pipe, O_RDONLY, 0)
            var child: pid_t = 0
            var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("true"), nil]
            defer { free(arguments[0]) }
            let status = posix_spawnp(&child, "true", &actions, nil, &arguments, environ)
            if status == 0 { waitpid(child, nil, 0) }
            result.yield(status)
            result.finish()
        }
        spawned = Task {
            for await status in results { return status }; return -1
        }
        self.pipe = pipe
        var looks = 0
        while !FileManager.default.fileExists(atPath: begun), looks < 10_000 {
            usleep(1000)
            looks += 1
        }
        try #require(looks < 10_000, "No child process could be started.")
    }

    /// Lets the child start its program, and waits for its end.
    func finish() async throws {
        let descriptor = open(pipe, O_WRONLY)
        try #require(descriptor >= 0)
        close(descriptor)
        #expect(await spawned.value == 0)
    }
}

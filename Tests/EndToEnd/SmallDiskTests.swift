import Foundation
import TestProcesses
import Testing

/// The server's programs on a full disk: a tmpfs of a fixed size, where this process may mount one.
@Suite(.enabled(if: SmallDisk.isPossible)) struct SmallDiskTests {
    @Test func restoreSaysWhatToDo() throws {
        let stage = try Stage()
        let replica = try stage.makeScope()
        try Programs.sql(replica, "INSERT INTO person(name) VALUES ('Ana')")
        try Programs.check("roost", "sync", replica)
        let backup = stage.path("backup.sqlite")
        try Programs.check("roost-server", "backup", "--data", stage.path("server"), "--to", backup)
        let disk = try SmallDisk(stage.path("disk"), kilobytes: 64)
        let data = disk.path + "/server"
        let refused = try Programs.run("roost-server", ["restore", "--data", data, "--from", backup])
        #expect(refused.status == 74, "\(refused)")
        #expect(refused.error.contains("the disk is full"), "\(refused)")
        // No server is waiting here that could continue by itself.
        #expect(!refused.error.contains("by itself") && refused.error.contains("again"), "\(refused)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: data).allSatisfy { !$0.contains("restoring") })
        try disk.resize(kilobytes: 20_000)
        try Programs.check("roost-server", "restore", "--data", data, "--from", backup)
    }

    @Test func serverWaitsForRoomToStart() throws {
        let stage = try Stage()
        _ = try stage.makeScope()
        #expect(stage.server?.terminate() == 0)
        let disk = try SmallDisk(stage.path("disk"), kilobytes: 2000)
        try FileManager.default.copyItem(atPath: stage.path("server"), toPath: disk.path + "/server")
        try disk.fill()
        let server = try RunningProgram(
            "roost-server", ["serve", "--data", disk.path + "/server", "--listen", "127.0.0.1:0"],
            log: stage.folder.appending(path: "small.log"))
        let isSaid = try eventually { server.log.contains("the disk is full") || !server.isRunning }
        #expect(isSaid && server.isRunning && !server.log.contains("listening on"), "\(server.log)")
        try disk.makeRoom()
        let isUp = try eventually { server.log.contains("listening on") || !server.isRunning }
        #expect(isUp && server.isRunning, "\(server.log)")
        #expect(server.terminate() == 0, "\(server.log)")
    }

    @Test func readOnlyFolderIsNamed() throws {
        let stage = try Stage()
        _ = try stage.makeScope()
        #expect(stage.server?.terminate() == 0)
        let disk = try SmallDisk(stage.path("disk"), kilobytes: 20_000)
        let data = disk.path + "/server"
        try FileManager.default.copyItem(atPath: stage.path("server"), toPath: data)
        let backup = stage.path("backup.sqlite")
        try Programs.check("roost-server", "backup", "--data", data, "--to", backup)
        try disk.setReadOnly(true)
        for command in [
            ["serve", "--listen", "127.0.0.1:0"], ["init"], ["restore", "--from", backup], ["clock", "accept"],
        ] {
            let refused = try Programs.run("roost-server", command + ["--data", data])
            #expect(refused.status == 74, "\(command): \(refused)")
            #expect(refused.error.contains(data), "\(command): \(refused)")
            let isNamed = ["ead-only", "readonly"].contains { refused.error.contains($0) }
            #expect(isNamed, "\(command): \(refused)")
        }
        try disk.setReadOnly(false)
        try Programs.check("roost-server", "clock", "accept", "--data", data)
    }
}

/// A tmpfs of a fixed size.
final class SmallDisk {
    let path: String

    /// Whether this user may mount a tmpfs.
    static let isPossible: Bool = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-disk-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return (try? SmallDisk(folder, kilobytes: 64)) != nil
    }()

    init(_ path: String, kilobytes: Int) throws {
        self.path = path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Programs.check("mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", path)
    }

    deinit { _ = try? Programs.run("umount", ["-l", path]) }

    func resize(kilobytes: Int) throws { try Programs.check("mount", "-o", "remount,size=\(kilobytes)k", path) }

    func setReadOnly(_ isReadOnly: Bool) throws {
        try Programs.check("mount", "-o", "remount,\(isReadOnly ? "ro" : "rw")", path)
    }

    /// Uses up all free space.
    func fill() throws {
        _ = try Programs.run("dd", ["if=/dev/zero", "of=\(path)/ballast", "bs=4096"])
    }

    func makeRoom() throws { try FileManager.default.removeItem(atPath: path + "/ballast") }
}

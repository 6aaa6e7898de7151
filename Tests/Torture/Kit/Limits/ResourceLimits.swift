internal import Foundation
internal import TestProcesses

/// Runs the real programs with too few descriptors, too little memory, too small files and on too small a disk, from almost
/// nothing up to their success.
struct ResourceLimits {
    private let size: Part.Size
    private let recorder: Recorder

    init(_ size: Part.Size, _ recorder: Recorder) {
        self.size = size
        self.recorder = recorder
    }

    func run() throws {
        let torture = try TortureStage(recorder, replicas: 2)
        try sweepClient(
            torture, "descriptors", option: "nofile", values: size == .full ? Array(4...40) : [9, 15, 40])
        try sweepClient(
            torture, "file size", option: "fsize",
            values: (size == .full ? Array(stride(from: 0, through: 200, by: 4)) : [20, 200]).map {
                $0 * 1024
            })
        recorder.progress("memory")
        try sweepMemory(torture)
        recorder.progress("the server's descriptors")
        try sweepServerDescriptors(torture)
        recorder.progress("a full tmpfs")
        try sweepDisk(torture)
        recorder.progress("connections")
        try torture.converge(at: "limits, at the end")
        try torture.countOutcomes()
    }

    /// Runs `roost sync` under a limit that grows until it succeeds. A run may refuse, and must not fail in another way.
    private func sweepClient(_ torture: TortureStage, _ name: String, option: String, values: [Int]) throws {
        var refused = 0
        for value in values {
            try write(torture)
            let place = "\(name) limited to \(value)"
            let output = try limited(option, value, ["sync", torture.replicas[0]])
            if output.status != 0 {
                refused += 1
                recorder.fault("\(name) limit")
                checkRefusal(output, place, isMute: option == "fsize" && value == 0)
            }
            try torture.audit(torture.replicas[0], at: place)
            try torture.syncCleanly(torture.replicas[0], at: place)
        }
        recorder.floor("syncs refused for \(name)", reached: refused, least: 1)
    }

    /// Runs `roost sync` with limited memory. The process may be killed for lack of it, but must leave an intact file.
    private func sweepMemory(_ torture: TortureStage) throws {
        var ended = 0
        let values = size == .full ? Array(stride(from: 40, through: 400, by: 20)) : [60, 300]
        for megabytes in values {
            try write(torture)
            let place = "memory limited to \(megabytes) MiB"
            let output = try limited("as", megabytes << 20, ["sync", torture.replicas[0]])
            if output.status != 0 {
                ended += 1
                recorder.fault("memory limit")
            }
            try torture.audit(torture.replicas[0], at: place)
            try torture.syncCleanly(torture.replicas[0], at: place)
        }
        recorder.floor("syncs ended for memory", reached: ended, least: 1)
    }

    /// Runs the server with few descriptors: it refuses to start and reports the reason, or serves.
    private func sweepServerDescriptors(_ torture: TortureStage) throws {
        var refused = 0
        for value in size == .full ? Array(stride(from: 8, through: 80, by: 4)) : [10, 16, 63, 64] {
            try write(torture)
            torture.stage.server?.kill()
            let place = "server with \(value) descriptors"
            do {
                try torture.stage.startServer(through: ["prlimit", "--nofile=\(value)"])
                try torture.syncCleanly(torture.replicas[0], at: place)
                recorder.expect(torture.stage.server?.isRunning == true, "\(place): it started and died")
            } catch let error as UnexpectedEnd {
                refused += 1
                let isPlain = error.output.error.contains("roost-server: Cannot")
                recorder.expect(
                    isPlain || error.output.error.contains("error while loading shared libraries"),
                    "\(place): it ends without saying why: \(error)")
            }
            torture.stage.server?.kill()
            try torture.stage.startServer()
            try torture.syncCleanly(torture.replicas[0], at: place)
        }
        recorder.fault("server descriptor limit", count: refused)
        recorder.floor("server refused for descriptors", reached: refused, least: 1)
    }

    /// Runs on a full disk: a tmpfs of a fixed size, if this process may mount one.
    private func sweepDisk(_ torture: TortureStage) throws {
        let mount = torture.stage.path("small-disk")
        try FileManager.default.createDirectory(atPath: mount, withIntermediateDirectories: true)
        var refused = 0
        for kilobytes in size == .full ? Array(stride(from: 300, through: 1500, by: 40)) : [400, 1500] {
            let mounted = try Programs.run("mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", mount])
            guard mounted.status == 0 else {
                recorder.omit("a full tmpfs: this user may not mount one (\(mounted.error.prefix(80)))")
                return
            }
            defer { _ = try? Programs.run("umount", ["-l", mount]) }
            let place = "disk of \(kilobytes) KiB"
            let replica = mount + "/full.roost"
            // Another device of the scope, with little space.
            let link = try Programs.check("roost", "invite", torture.replicas[0]).lines.first ?? ""
            let joined = try Programs.run("roost", ["join", link, replica, "--device", "small"])
            guard joined.status == 0 else {
                refused += 1
                checkRefusal(joined, place)
                continue
            }
            let outputs = [
                try torture.sync(replica),
                try torture.sql(replica, (1...400).map { "INSERT INTO parent(name) VALUES ('\($0)');" }.joined()),
                try torture.sync(replica),
            ]
            if outputs.contains(where: { $0.status != 0 }) { refused += 1 }
            for output in outputs where output.status != 0 && output.error.contains("roost:") {
                checkRefusal(output, place)
            }
            recorder.fail(ReplicaAudit.run(replica, isSettled: false).failures, at: place)
            // With more space, it continues.
            try Programs.check("mount", "-o", "remount,size=20m", mount)
            try torture.audit(replica, at: "\(place), with room")
            try torture.syncCleanly(replica, at: "\(place), with room")
        }
        recorder.fault("tmpfs full", count: refused)
        recorder.floor("refusals of a full tmpfs", reached: refused, least: 1)
    }

    // MARK: Running

    private func limited(_ option: String, _ value: Int, _ arguments: [String]) throws -> Programs.Output {
        // The signal for a file at its limit is ignored, so that the write fails instead. Without memory for a thread, the
        // system's own libraries wait forever: such a process is killed.
        let command = "trap '' XFSZ; exec timeout -s KILL 10 prlimit --\(option)=\(value) \"$@\""
        return try Programs.run("bash", ["-c", command, "bash", Programs.url("roost").path] + arguments)
    }

    /// I20: a documented status, and a message that names what could not be done.
    ///
    /// - Parameter isMute: Whether the limit keeps the message out of its file.
    private func checkRefusal(_ output: Programs.Output, _ place: String, isMute: Bool = false) {
        let isPlain =
            [65, 66, 69, 73, 74, 75, 77].contains(output.status) && !output.isSignalled
            && (output.error.contains("roost") || isMute)
        // With too few resources to start, the loader or the runtime ends the program.
        let isLoader =
            output.error.contains("error while loading shared libraries") || [4, 127, 128 + 4].contains(output.status)
        recorder.expect(isPlain || isLoader, "\(place): I20: the refusal is not plain: \(output)")
    }

    private func write(_ torture: TortureStage) throws {
        let number = Int(Date().timeIntervalSince1970 * 1_000_000)
        let output = try torture.sql(torture.replicas[0], TortureScope.pair("limits", number))
        guard output.status == 0 else { throw UnexpectedEnd(program: "sqlite3", output: output) }
        recorder.count {
            $0.written += 2
            $0.acknowledged += 2
        }
    }
}

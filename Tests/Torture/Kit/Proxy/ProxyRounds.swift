internal import Foundation
internal import RoostModel
internal import Synchronization
internal import TestProcesses

/// Devices synchronise through a proxy that loses, repeats, cuts and falsifies requests and replies.
struct ProxyRounds {
    private let size: Part.Size
    private let seed: UInt64
    private let recorder: Recorder

    init(_ size: Part.Size, seed: UInt64, _ recorder: Recorder) {
        self.size = size
        self.seed = seed
        self.recorder = recorder
    }

    private var devices: Int { size == .full ? 12 : 6 }
    private var roundsEach: Int { size == .full ? 260 : 10 }

    func run() throws {
        let torture = try TortureStage(recorder, replicas: devices)
        let proxy = try FaultProxy(to: torture.port, seed: seed)
        proxy.start()
        defer { proxy.stop() }
        for replica in torture.replicas { try torture.use(proxy, for: replica) }
        let succeeded = Atomic<Int>(0)
        let works = torture.replicas.enumerated().map { number, replica in
            Threads.Work { [recorder, roundsEach, seed] in
                var random = SplitMix64(state: seed &+ UInt64(number))
                for round in 1...roundsEach where !recorder.hasFailed {
                    // One transaction, with a pair that no other transaction writes.
                    let script = TortureScope.pair("d\(number)", round).replacing(
                        "COMMIT;", with: Self.edit(&random) + "COMMIT;")
                    try Programs.run("sqlite3", ["-cmd", ".timeout 30000", replica], input: script + "\n")
                    let output = try Programs.run("roost", ["sync", replica])
                    if output.status == 0 { succeeded.add(1, ordering: .relaxed) }
                    recorder.expect(
                        [0, 75].contains(output.status), "d\(number), round \(round): a sync ends with \(output)")
                }
            }
        }
        try Threads.run(works)
        proxy.heal()
        try torture.converge(at: "healed")
        try check(torture, proxy, succeeded.load(ordering: .relaxed))
        try ProxyCuts(size, recorder).run()
    }

    /// Draws an edit of shared records, or none.
    private static func edit(_ random: inout SplitMix64) -> String {
        let parent = id(Int.random(in: 1...3, using: &random))
        let child = id(Int.random(in: 11...15, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return "INSERT OR REPLACE INTO parent(id, name) VALUES (\(parent), 'p');\n"
        case 1: return "INSERT OR REPLACE INTO child(id, label, parent) VALUES (\(child), 'c', \(parent));\n"
        case 2: return "DELETE FROM parent WHERE id = \(parent);\n"
        default: return ""
        }
    }

    private func check(_ torture: TortureStage, _ proxy: FaultProxy, _ succeeded: Int) throws {
        let expected = Set(
            (0..<devices).flatMap { device in (1...roundsEach).map { PairName(author: "d\(device)", number: $0) } })
        let server = torture.auditServer(at: "at the end")
        recorder.expect(
            server.pairs == expected, "I3: the server has \(server.pairs.count) pairs of \(expected.count)")
        recorder.expect(
            server.emptySequences == 0,
            "I6: \(server.emptySequences) sequences hold nothing: a push was stored twice")
        try proxy.pushes.sendAgain(
            to: torture.port, storedIn: torture.serverFile, SplitMix64(state: seed &+ 4242), recorder)
        try torture.countOutcomes()
        for replica in torture.replicas {
            recorder.expect(try torture.events(replica, "integrity") == [], "\(replica): an integrity event")
        }
        for (kind, count) in proxy.counts { recorder.fault(kind, count: count) }
        for fault in ProxyFault.allCases where size == .full {
            for kind in ["push", "pull"] {
                recorder.floor(
                    "\(kind): \(fault.rawValue)", reached: proxy.counts["\(kind): \(fault.rawValue)"] ?? 0,
                    least: 5)
            }
        }
        recorder.count {
            $0.written += expected.count * 2
            $0.acknowledged += server.pairs.count * 2
        }
        recorder.figure("exchanges", "\(proxy.exchanges)")
        recorder.figure("rounds that ended up to date through the faults", "\(succeeded)")
        recorder.floor("rounds", reached: devices * roundsEach, least: size == .full ? 3000 : 60)
        recorder.floor("faults", reached: proxy.counts.values.reduce(0, +), least: size == .full ? 1000 : 15)
    }
}

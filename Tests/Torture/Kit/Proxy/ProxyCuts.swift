internal import Foundation
internal import RoostModel
internal import TestProcesses

/// A push of one change whose request, and then whose reply, is cut at each of its bytes in turn.
struct ProxyCuts {
    private let size: Part.Size
    private let recorder: Recorder

    init(_ size: Part.Size, _ recorder: Recorder) {
        self.size = size
        self.recorder = recorder
    }

    private var step: Int { size == .full ? 1 : 67 }

    func run() throws {
        try Parallel.run([FaultProxy.Cut.Part.request, .reply]) { [recorder] part in
            let cuts = try cut(part)
            recorder.fault("push of one change: \(part.rawValue) cut at a byte", count: cuts)
            recorder.floor("bytes at which a \(part.rawValue) is cut", reached: cuts, least: size == .full ? 150 : 3)
        }
    }

    /// - Returns: The number of cuts.
    private func cut(_ part: FaultProxy.Cut.Part) throws -> Int {
        let torture = try TortureStage(recorder, replicas: 1)
        let replica = torture.replicas[0]
        let proxy = try FaultProxy(to: torture.port, seed: 0)
        proxy.heal()
        proxy.start()
        defer { proxy.stop() }
        try torture.use(proxy, for: replica)
        var cuts = 0
        while !recorder.hasFailed {
            let place = "\(part.rawValue) cut after \(cuts * step) bytes"
            let record = RecordKey(entity: EntityID(3), id: RecordID(high: 0, low: UInt64(1000 + cuts)))
            try torture.sql(replica, "INSERT INTO parent(id, name) VALUES (\(id(1000 + cuts)), 'p');")
            proxy.cutNextPush(.init(part: part, bytes: cuts * step))
            let output = try torture.sync(replica)
            recorder.expect([0, 75].contains(output.status), "\(place): a sync ends with \(output)")
            try torture.syncCleanly(replica, at: place)
            let server = torture.auditServer(at: place)
            recorder.expect(server.records[record]?.put != nil, "\(place): I3: the change is not there")
            recorder.expect(server.emptySequences == 0, "\(place): I6: the push was stored twice")
            recorder.count {
                $0.written += 1
                $0.acknowledged += 1
            }
            // The message is shorter than the cut.
            guard proxy.hasCut else { break }
            cuts += 1
        }
        return cuts
    }
}

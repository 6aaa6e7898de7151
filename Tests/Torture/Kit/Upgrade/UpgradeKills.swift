internal import Foundation
internal import TestProcesses

/// Kills the later programs at each file call while they upgrade a fixture. The files are then opened again and compared.
struct UpgradeKills {
    /// The program that opens the replica first.
    enum Opening: String, CaseIterable, Sendable {
        case status, sync, daemon
    }

    let fixture: UpgradeFixture
    let opening: Opening
    let fault: FaultControl.Fault
    let recorder: Recorder
    /// The number of points after which a fixture is run to its end, which takes seconds.
    let closingStep: Int
    /// The greatest number of points, spread over all file calls; `nil` for every file call.
    var pointsMax: Int?

    /// The view, the sealed push and the outcome of the fixture with the earlier programs.
    struct Expected: Sendable {
        var view: ReplicaView
        var sealedPush: [String]
        var outcome: UpgradeClosing.Outcome
    }

    /// - Returns: The number of points that were met.
    func run(_ expected: Expected) throws -> Int {
        let control = try FaultControl(in: folder, under: folder)
        let step = try step(control)
        var (points, call) = (0, 1)
        while !recorder.hasFailed {
            let place = "\(fixture.kind.rawValue), \(opening.rawValue) \(fault) call \(call)"
            try fixture.restore(for: fixture.programs.later)
            guard try open(call, control, place) else { break }
            let isClosing = points % closingStep == 0
            points += 1
            call += step
            if opening == .status {
                let view = try ReplicaView(of: fixture.replica, by: fixture.programs.later)
                recorder.fail(view.differences(from: expected.view), at: place)
                recorder.expect(try fixture.sealedPush() == expected.sealedPush, "\(place): the sealed push is lost")
            }
            guard isClosing || opening != .status else { continue }
            let cast = UpgradeClosing.Cast.all(fixture.programs.later)
            let outcome = try UpgradeClosing(fixture: fixture, cast: cast, recorder: recorder, place: place).run()
            UpgradePart.expect(outcome, expected.outcome, at: place, recorder)
        }
        return points
    }

    private func step(_ control: FaultControl) throws -> Int {
        guard let pointsMax else { return 1 }
        try fixture.restore(for: fixture.programs.later)
        _ = try open(0, control, "\(fixture.kind.rawValue), \(opening.rawValue)")
        return max(1, control.calls / pointsMax)
    }

    private var folder: URL { fixture.stage.folder.resolvingSymlinksInPath() }

    /// - Returns: `false` if the program makes fewer file calls.
    private func open(_ call: Int, _ control: FaultControl, _ place: String) throws -> Bool {
        if opening != .status { try fixture.startServer() }
        try control.arm(
            call, fault, counting: fault == .killHalfway ? FaultControl.Call.writing : FaultControl.Call.changing)
        let later = fixture.programs.later
        switch opening {
        case .status, .sync:
            let output = try later.run("roost", [opening.rawValue, fixture.replica], environment: control.environment)
            recorder.expect(
                output.isSignalled || output.status == 0, "\(place): not met, and fails: \(output)")
        case .daemon:
            let log = fixture.stage.folder.appending(path: "daemon-\(call).log")
            let daemon = try RunningProgram(
                later.name("roostd"), [fixture.replica], environment: control.environment, log: log)
            _ = try eventually(within: 5) { !daemon.isRunning || daemon.log.contains("up to date") }
            if daemon.isRunning {
                recorder.expect(daemon.terminate() == 0, "\(place): the daemon ends with an error: \(daemon.log)")
            }
        }
        guard control.faults > 0 else { return false }
        if let met = control.met { recorder.fault("\(fault) \(met.call)") }
        try control.arm(0)
        return true
    }
}

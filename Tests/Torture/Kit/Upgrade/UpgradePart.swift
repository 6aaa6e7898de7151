internal import Foundation
internal import Synchronization
internal import TestProcesses

/// Upgrades the files that the programs of an earlier commit left: replicas, their pushes in flight, and a server's folder.
struct UpgradePart {
    private let size: Part.Size
    private let recorder: Recorder

    init(_ size: Part.Size, _ recorder: Recorder) {
        self.size = size
        self.recorder = recorder
    }

    func run() throws {
        guard let programs = UpgradePrograms.found() else {
            recorder.floor("programs of an earlier commit (scripts/earlier-programs builds them)", reached: 0, least: 1)
            return
        }
        let (earlier, later) = (try programs.format(of: programs.earlier), try programs.format(of: programs.later))
        recorder.figure("replica format", "\(earlier) to \(later)")
        let isUpgrade = later > earlier
        if !isUpgrade { recorder.omit("refusals by earlier programs: both write format \(later)") }
        let counts = UpgradeCounts()
        let only = ProcessInfo.processInfo.environment["ROOST_UPGRADE_ONLY"]
        let works = works(programs, isUpgrade, counts).filter { only == nil || $0.name.contains(only ?? "") }
        try Parallel.run(works) { [recorder] work in
            let start = Date()
            // A fixture that cannot run must not hide the results of the others.
            do { try work.body() } catch { recorder.fail("\(work.name): \(error)") }
            recorder.progress("\(work.name): \(Int(Date().timeIntervalSince(start))) s")
        }
        if let only { return recorder.omit("all but \(only), as ROOST_UPGRADE_ONLY says") }
        recorder.floor("deaths while a replica is upgraded", reached: counts.deaths, least: size == .full ? 300 : 5)
        recorder.floor("deaths of the server", reached: counts.serverDeaths, least: size == .full ? 5 : 1)
        recorder.floor("exchanges between earlier and later programs", reached: counts.exchanges, least: 24)
    }

    private struct Work: Sendable {
        let name: String
        let body: @Sendable () throws -> Void
    }

    /// Returns the works, the longest first, so that all processors are busy to the end.
    private func works(_ programs: UpgradePrograms, _ isUpgrade: Bool, _ counts: UpgradeCounts) -> [Work] {
        let fixtures = UpgradeFixtureKind.allCases.map { kind in
            Work(name: "fixture \(kind.rawValue)") { [self] in try upgrade(kind, programs, isUpgrade, counts) }
        }
        let exchanges = casts(programs).flatMap { cast in
            [
                Work(name: "exchange, \(cast)") { [recorder] in
                    counts.exchanges(try UpgradeExchange(cast: cast, recorder: recorder).run())
                },
                Work(name: "lifetime, \(cast)") { [recorder] in
                    counts.exchanges(try UpgradeLifetime(cast: cast, recorder: recorder).run())
                },
            ]
        }
        return fixtures + [
            Work(name: "neighbours") { [recorder] in
                try UpgradeNeighbours(programs: programs, recorder: recorder, isUpgrade: isUpgrade).run()
            },
            Work(name: "server folder") { [recorder, size] in
                counts.serverDeaths(try UpgradeServerFolder(programs, recorder).run(step: size == .full ? 1 : 6))
            },
            Work(name: "formats 1 to 4") { [self] in try upgradeEarlierFormats(programs, counts) },
            Work(name: "book") { [recorder] in try UpgradeBook(programs: programs, recorder: recorder).run() },
        ] + exchanges
    }

    /// Returns the combinations of earlier and later programs. The short form has an earlier and a later device with a server
    /// of each age.
    private func casts(_ programs: UpgradePrograms) -> [UpgradeClosing.Cast] {
        let (earlier, later) = (programs.earlier, programs.later)
        let short = [
            UpgradeClosing.Cast(server: later, replica: later, others: earlier),
            UpgradeClosing.Cast(server: earlier, replica: later, others: earlier),
        ]
        guard size == .full else { return short }
        return short + [
            UpgradeClosing.Cast(server: later, replica: earlier, others: earlier),
            UpgradeClosing.Cast(server: earlier, replica: later, others: later),
        ]
    }

    static func expect(
        _ found: UpgradeClosing.Outcome, _ expected: UpgradeClosing.Outcome, at place: String, _ recorder: Recorder
    ) {
        for (step, rows, wanted) in [
            ("synchronised", found.synchronised, expected.synchronised),
            ("brought back", found.broughtBack, expected.broughtBack),
        ] where rows != wanted {
            recorder.fail(
                "\(place), \(step): rows differ from those by the earlier programs: \(UpgradeClosing.difference(rows, wanted))"
            )
        }
    }

    // MARK: Replicas

    private func upgrade(
        _ kind: UpgradeFixtureKind, _ programs: UpgradePrograms, _ isUpgrade: Bool, _ counts: UpgradeCounts
    ) throws {
        let fixture = try UpgradeFixture(kind, programs)
        guard kind.isTracked else {
            return try UpgradeLeftFlag(fixture: fixture, recorder: recorder, isUpgrade: isUpgrade).run()
        }
        let expected = try expectation(of: fixture)
        try fixture.restore(for: programs.later)
        let view = try ReplicaView(of: fixture.replica, by: programs.later)
        recorder.fail(view.differences(from: expected.view), at: "\(kind.rawValue), upgraded")
        recorder.expect(
            try fixture.sealedPush() == expected.sealedPush, "\(kind.rawValue), upgraded: the sealed push is lost")
        let mixed = casts(programs).filter { $0.replica == programs.later }
        for cast in [.all(programs.later)] + (size == .full ? mixed : kind == .pushStored ? [mixed[0]] : []) {
            try fixture.restore(for: cast.server)
            let place = "\(kind.rawValue), \(cast)"
            let outcome = try UpgradeClosing(fixture: fixture, cast: cast, recorder: recorder, place: place).run()
            Self.expect(outcome, expected.outcome, at: place, recorder)
        }
        for sweep in sweeps(kind) where !recorder.hasFailed {
            let kills = UpgradeKills(
                fixture: fixture, opening: sweep.opening, fault: sweep.fault, recorder: recorder,
                closingStep: size == .full ? 10 : 4, pointsMax: sweep.pointsMax)
            counts.deaths(try kills.run(expected))
        }
    }

    private typealias Sweep = (opening: UpgradeKills.Opening, fault: FaultControl.Fault, pointsMax: Int?)

    private func sweeps(_ kind: UpgradeFixtureKind) -> [Sweep] {
        guard size == .full else {
            return kind == .pending ? [(.status, .killBefore, 8)] : kind == .pushStored ? [(.sync, .killBefore, 2)] : []
        }
        let openings: [Sweep] = [.killBefore, .killAfter, .killHalfway].map { (.status, $0, nil) }
        return openings + [(.sync, .killBefore, 30), (.daemon, .killBefore, 10)]
    }

    /// Returns the view, the sealed push and the outcome of a fixture with the earlier programs.
    private func expectation(of fixture: UpgradeFixture) throws -> UpgradeKills.Expected {
        let earlier = fixture.programs.earlier
        try fixture.restore(for: earlier)
        let view = try ReplicaView(of: fixture.replica, by: earlier)
        let push = try fixture.sealedPush()
        try fixture.restore(for: earlier)
        let outcome = try UpgradeClosing(
            fixture: fixture, cast: .all(earlier), recorder: recorder, place: "\(fixture.kind.rawValue), not upgraded"
        ).run()
        return UpgradeKills.Expected(view: view, sealedPush: push, outcome: outcome)
    }

    /// Upgrades the content of the fixture from the formats before that of the earlier programs.
    private func upgradeEarlierFormats(_ programs: UpgradePrograms, _ counts: UpgradeCounts) throws {
        let fixture = try UpgradeFixture(.pending, programs)
        let expected = try expectation(of: fixture)
        for format in EarlierFormats.all {
            try fixture.restore(for: programs.earlier)
            try programs.earlier.check("roost", "status", fixture.replica)
            try EarlierFormats.takeBack(fixture.replica, to: format)
            try fixture.withImageOfNow {
                let place = "format \(format)"
                let view = try ReplicaView(of: fixture.replica, by: programs.later)
                recorder.fail(view.differences(from: expected.view), at: "\(place), upgraded")
                // The later programs have settled the view. In the full form, each format is run to its end.
                guard size == .full || format == EarlierFormats.all.lowerBound else { return }
                let closing = UpgradeClosing(
                    fixture: fixture, cast: .all(programs.later), recorder: recorder, place: place)
                Self.expect(try closing.run(), expected.outcome, at: place, recorder)
                guard size == .full else { return }
                let kills = UpgradeKills(
                    fixture: fixture, opening: .status, fault: .killBefore, recorder: recorder, closingStep: 20,
                    pointsMax: 60)
                counts.deaths(try kills.run(expected))
            }
        }
    }
}

/// Counts over all works of the part.
final class UpgradeCounts: Sendable {
    private let state = Mutex((deaths: 0, serverDeaths: 0, exchanges: 0))

    func deaths(_ count: Int) { state.withLock { $0.deaths += count } }
    func serverDeaths(_ count: Int) { state.withLock { $0.serverDeaths += count } }
    func exchanges(_ count: Int) { state.withLock { $0.exchanges += count } }

    var deaths: Int { state.withLock { $0.deaths } }
    var serverDeaths: Int { state.withLock { $0.serverDeaths } }
    var exchanges: Int { state.withLock { $0.exchanges } }
}

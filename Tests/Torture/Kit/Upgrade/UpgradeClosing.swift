internal import Foundation
internal import TestProcesses

/// The last steps with a fixture: synchronise, undelete, restore a beaten edit, and synchronise again.
///
/// The outcome of these steps with the earlier programs is expected of the later ones.
struct UpgradeClosing {
    /// The programs of the server and of each device.
    struct Cast: Sendable, CustomStringConvertible {
        var server: ProgramSet
        var replica: ProgramSet
        var others: ProgramSet

        static func all(_ programs: ProgramSet) -> Cast { Cast(server: programs, replica: programs, others: programs) }

        var description: String {
            "\(server.title) server, \(replica.title) replica, \(others.title) others"
        }
    }

    /// The last step to take.
    enum Extent: Sendable {
        case synchronised, broughtBack
    }

    /// The visible rows of the devices.
    struct Outcome: Equatable, Sendable {
        var synchronised: [String] = []
        var broughtBack: [String] = []
    }

    let fixture: UpgradeFixture
    let cast: Cast
    let recorder: Recorder
    let place: String
    var extent = Extent.broughtBack

    func run() throws -> Outcome {
        fixture.stage.programs = cast.server
        try fixture.startServer()
        var outcome = Outcome()
        try sync()
        outcome.synchronised = try compare("synchronised")
        guard extent == .broughtBack else { return outcome }
        try bringBack()
        try sync()
        outcome.broughtBack = try compare("brought back")
        return outcome
    }

    private var devices: [(file: String, set: ProgramSet)] {
        [(fixture.replica, cast.replica), (fixture.other, cast.others), (fixture.later, cast.others)]
    }

    /// Synchronises all devices, then the first two again, which pull the pushes of the others.
    private func sync() throws {
        for device in devices + devices.prefix(2) {
            let output = try device.set.run("roost", ["sync", device.file])
            recorder.expect(output.status == 0, "\(place): a sync fails: \(output)")
        }
    }

    /// - Returns: The rows of the replica, which equal those of the other device, and the rows of the later version.
    private func compare(_ step: String) throws -> [String] {
        let rows = try ReplicaView.rows(of: fixture.replica)
        let others = try ReplicaView.rows(of: fixture.other)
        recorder.expect(
            rows == others, "\(place), \(step): the devices show different rows: \(Self.difference(rows, others))")
        let server = try cast.replica.check("roost", "digest", "--server", fixture.replica).lines.first ?? ""
        for device in devices {
            let name = URL(filePath: device.file).lastPathComponent
            let status = try device.set.check("roost", "status", "--json", device.file).standard
            recorder.expect(
                status.contains("\"digest\":\"\(server)\""),
                "\(place), \(step): \(name) has another digest than the server's \(server): \(status)")
            recorder.expect(
                status.contains("\"waiting\":0,"), "\(place), \(step): changes of \(name) are pending: \(status)")
        }
        let check = try cast.replica.run("roost", ["check", fixture.replica])
        recorder.expect(check.status == 0, "\(place), \(step): the replica is not sound: \(check)")
        return rows + (try ReplicaView.rowsOfLaterVersion(of: fixture.later))
    }

    static func difference(_ left: [String], _ right: [String]) -> String {
        let (leftOnly, rightOnly) = (Set(left).subtracting(right).sorted(), Set(right).subtracting(left).sorted())
        return "\(leftOnly.prefix(3)) and \(rightOnly.prefix(3))"
    }

    // MARK: Undeleting and restoring

    private static let deleted = [
        ("Person", 2), ("Person", 3), ("Person", 6), ("Person", 7), ("Tag", 203), ("Folder", 301), ("Spending", 107),
    ]

    private func bringBack() throws {
        for (entity, number) in Self.deleted {
            let output = try cast.replica.run("roost", ["undelete", fixture.replica, entity, Self.identifier(number)])
            recorder.expect(output.status == 0, "\(place): \(entity) \(number) is not undeleted: \(output)")
        }
        let journal = try cast.replica.check("roost", "journal", fixture.replica).lines
        let number = journal.first { $0.contains("\tbeaten\t") }.map { String($0.prefix { $0.isNumber }) }
        guard let number else { return recorder.fail("\(place): the journal has no beaten edit") }
        let output = try cast.replica.run("roost", ["restore", fixture.replica, number])
        recorder.expect(output.status == 0, "\(place): the beaten edit \(number) is not restored: \(output)")
    }

    static func identifier(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "00000000-0000-0000-0000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
}

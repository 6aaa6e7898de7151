internal import ArgumentParser
internal import Foundation
internal import Replica
internal import Roost
internal import RoostModel
internal import Terminal

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Say what waits, since when, and why. Needs no network.",
        discussion: """
            EXAMPLE
              roost status trip.roost
            """)

    @Argument(help: "The replica file.")
    var file: String
    @OptionGroup var common: CommonOptions

    func run() async throws {
        try await common.run {
            let replica = try Replica(opening: file)
            let status = try replica.status()
            let membership = try replica.membership()
            let holder = SyncLease.holder(of: replica.path)
            common.json
                ? Console.write(.object(status.members(membership, holder: holder))) : write(status, membership, holder)
        }
    }

    private func words(_ reason: PullAnewReason) -> String {
        switch reason {
        case .differs: "it differs from the server"
        case .damaged: "it is damaged"
        case .refused: "an edit was refused, and only the server has the content that it had replaced"
        case .historyChanged: "the server was restored from an older copy"
        case .expired: "the replica was away for longer than the server keeps deleted records"
        }
    }

    private func write(_ status: ReplicaStatus, _ membership: Membership?, _ holder: Int32?) {
        if let membership {
            Console.write(
                "scope     \(Console.name(membership.scopeName)) on \(membership.server), as \(membership.role)")
            Console.write("device    \(Console.name(membership.deviceName)), replica \(membership.replica)")
            if !membership.hasCredentials {
                Console.write("access    no credentials: run `roost join LINK \(ShellWord.quoted(file))`")
            }
        } else {
            Console.write(
                "scope     none: this replica is local. Connect it with: roost init \(ShellWord.quoted(file)) --server URL"
            )
        }
        if let next = status.nextSchemaVersion {
            Console.write(
                "schema    version \(status.schemaVersion); the scope has version \(next). Follow with: roost migrate \(ShellWord.quoted(file))"
            )
        }
        let since = status.waitingSince.map { ", the oldest since \(Console.time($0))" } ?? ""
        Console.write("waiting   " + (status.waiting == 0 ? "nothing" : "\(status.waiting) changed records\(since)"))
        if status.missing > 0 {
            Console.write(
                "missing   \(status.missing) records have no row, and nothing says that they were deleted. Bring them back with: roost repair --restore \(ShellWord.quoted(file)); or delete them with: roost repair --accept-deletes \(ShellWord.quoted(file))"
            )
        }
        if status.isLogOff {
            Console.write(
                "log       off: another program switched off the write-ahead log. Close the other programs that have the file open."
            )
        }
        if let notice = FileNumber.notice(names: status.names) { Console.write("names     \(notice)") }
        Console.write("contact   " + (status.lastContact.map { "last \(Console.time($0))" } ?? "never"))
        if let failure = status.failure {
            let since = status.failingSince.map { " since \(Console.time($0))" } ?? ""
            Console.write("failing  \(since): \(Console.printable(failure))")
            let retry = status.nextAttempt.map { "at \(Console.time($0))" }
            Console.write(
                "retry     "
                    + (holder == nil
                        ? "with the next roost sync, or when roostd runs" : retry ?? "when something was done about it")
            )
        }
        Console.write(
            "syncing   " + (holder.map { "by process \($0)" } ?? "no program keeps this replica synchronised now"))
        if let reason = status.pullingAnew {
            Console.write("anew      everything is being pulled anew: \(words(reason))")
        }
        if status.damaged > 0 {
            Console.write("damaged   the content of records; the next roost sync writes it anew from the server")
        }
        if status.toBringBack > 0 {
            Console.write("restored  \(status.toBringBack) records that the server has lost wait to be brought back")
        }
        let lost = status.lost > 0 ? ", \(status.lost) lost by the server" : ""
        let removed = status.journalRemoved > 0 ? "; \(status.journalRemoved) older entries removed" : ""
        Console.write(
            "journal   \(status.beaten) beaten, \(status.refused) refused\(lost)\(removed); now \(status.hidden) hidden, \(status.kept) kept, "
                + "\(status.unfit) unfit")
        Console.write("digest    \(status.digest)")
    }
}

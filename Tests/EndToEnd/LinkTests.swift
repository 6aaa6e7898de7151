import Foundation
import ShapedLink
import TestProcesses
import Testing

/// The messages of a sync over the network, counted between the real programs. The opening of connections is not counted.
@Suite(.serialized) struct LinkTests {
    /// Lets a replica reach its server through `link` from now on.
    private func redirect(_ replica: String, over link: ShapedLink) throws {
        try Programs.sql(replica, "update roost_state set value = '\(link.address)' where name = 'server'")
    }

    private func link(to stage: Stage) throws -> ShapedLink {
        try ShapedLink(to: Int(stage.address.split(separator: ":").last ?? "") ?? 0)
    }

    /// Makes two devices that know each other's names and have no pending changes.
    private func makeDevices(_ stage: Stage) throws -> (first: String, second: String) {
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        for (replica, name) in [(first, "Ana"), (second, "Bob")] {
            try Programs.sql(replica, "insert into person(name) values ('\(name)')")
            try Programs.check("roost", "sync", replica)
        }
        for replica in [first, second] { try Programs.check("roost", "sync", replica) }
        return (first, second)
    }

    @Test func syncWithNothingToDoTakesOneRoundTripAndFewBytes() throws {
        let stage = try Stage()
        let (first, _) = try makeDevices(stage)
        let link = try link(to: stage)
        defer { link.stop() }
        try redirect(first, over: link)
        try Programs.check("roost", "sync", first)
        let traffic = link.takeTraffic()
        #expect(traffic.roundTrips == 1)
        #expect(traffic.connections == 1)
        #expect(traffic.down > 0)
        #expect(traffic.up + traffic.down <= 600, "\(traffic)")
    }

    @Test func pushAndPullShareARoundTrip() throws {
        let stage = try Stage()
        let (first, second) = try makeDevices(stage)
        try Programs.sql(second, "insert into person(name) values ('Cem')")
        try Programs.check("roost", "sync", second)
        try Programs.sql(first, "insert into person(name) values ('Dora')")
        let link = try link(to: stage)
        defer { link.stop() }
        try redirect(first, over: link)
        try Programs.check("roost", "sync", first)
        let traffic = link.takeTraffic()
        #expect(traffic.roundTrips == 1)
        #expect(traffic.connections == 1)
        try Programs.check("roost", "sync", second)
        for replica in [first, second] {
            let names = try Programs.sql(replica, "select name from person order by name").lines
            #expect(names == ["Ana", "Bob", "Cem", "Dora"])
        }
    }

    /// All changes of a day without a network go in one push.
    @Test func pushOfTenThousandRecordsIsOneRoundTrip() throws {
        let stage = try Stage()
        let (first, second) = try makeDevices(stage)
        try Programs.sql(
            first,
            """
            with recursive n(i) as (select 1 union all select i + 1 from n where i < 9999)
            insert into spending(content, amount) select 'spending ' || i, i from n
            """)
        let link = try link(to: stage)
        defer { link.stop() }
        try redirect(first, over: link)
        try Programs.check("roost", "sync", first)
        #expect(link.takeTraffic().roundTrips == 1)
        try redirect(second, over: link)
        try Programs.check("roost", "sync", second)
        #expect(link.takeTraffic().roundTrips == 1)
        #expect(try Programs.sql(second, "select count(*), sum(amount) from spending").lines == ["9999|49995000"])
    }
}

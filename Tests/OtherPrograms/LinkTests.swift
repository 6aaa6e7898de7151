import TestProcesses
import Testing

/// Links of a many-to-many relationship that SQL writes.
@Suite struct LinkTests {
    struct Writing: Case {
        let name: String
        let first: String
        let second: String
    }

    private static let insert = "insert into spending_tags(source, target) values (\(key(5)), \(key(20)));"
    private static let records =
        Trip.records + "insert into tag(id, word) values (\(key(20)), 'fun'), (\(key(21)), 'work');"

    static let all = [
        Writing(name: "on both devices", first: insert, second: insert),
        Writing(name: "twice on one device", first: insert + insert, second: ""),
        Writing(
            name: "with identifiers of their own",
            first: "insert into spending_tags values (\(key(40)), \(key(5)), \(key(20)))",
            second: "insert into spending_tags values (\(key(41)), \(key(5)), \(key(20)))"),
        Writing(
            name: "by moving a link",
            first: insert.replacing(key(20), with: key(21)) + "update spending_tags set target = \(key(20));",
            second: insert),
        Writing(name: "removed and added again", first: insert + "delete from spending_tags;" + insert, second: insert),
    ]

    @Test(arguments: all) func theSameLinkIsOneRecord(_ writing: Writing) throws {
        try fact("theSameLinkIsOneRecord", writing.name) {
            let devices = try TwoDevices(Self.records)
            try devices.first.write(writing.first)
            try devices.second.write(writing.second)
            try devices.expectAgreement()
            try devices.expectBoth(
                "select hex(source) = hex(\(key(5))), hex(target) = hex(\(key(20))) from spending_tags", ["1|1"])
        }
    }

    @Test(arguments: all) func aRemovedLinkIsGone(_ writing: Writing) throws {
        try fact("aRemovedLinkIsGone", writing.name) {
            let devices = try TwoDevices(Self.records)
            try devices.first.write(writing.first)
            try devices.second.write(writing.second)
            try devices.synchronise()
            // A program that knows only one of the rows removes that one.
            try devices.second.write("delete from spending_tags where id in (select id from spending_tags limit 1)")
            try devices.expectAgreement()
            try devices.expectBoth("select count(*) from spending_tags", ["0"])
        }
    }
}

import Foundation
import ShapedLink
import TestLoopback
import TestProcesses
import Testing

/// Pushes that are too large for the path between a device and its server.
@Suite(.serialized) struct LargeBodyTests {
    private func port(_ stage: Stage) -> Int { Int(stage.address.split(separator: ":").last ?? "") ?? 0 }

    private func redirect(_ replica: String, to address: String) throws {
        try Programs.sql(replica, "update roost_state set value = '\(address)' where name = 'server'")
    }

    /// Inserts records that do not compress, in one transaction or in one each.
    private func insert(_ count: Int, bytes: Int, into replica: String, inOne: Bool = true) throws {
        let script = """
            import os, sqlite3, sys
            connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
            if sys.argv[4] == "one": connection.execute("begin")
            for _ in range(int(sys.argv[2])):
                connection.execute("insert into person(name) values(?)", (os.urandom(int(sys.argv[3]) // 2).hex(),))
            if sys.argv[4] == "one": connection.execute("commit")
            """
        try Programs.check("python3", "-c", script, replica, "\(count)", "\(bytes)", inOne ? "one" : "each")
    }

    private func expectAgreement(_ replica: String, _ other: String, count: Int) throws {
        try Programs.check("roost", "sync", other)
        for file in [replica, other] {
            #expect(try Programs.sql(file, "select count(*) from person").lines == ["\(count)"])
            #expect(try Programs.sql(file, "select count(*) from roost_journal").lines == ["0"])
        }
        #expect(
            try Programs.check("roost", "digest", replica).standard
                == Programs.check("roost", "digest", other, "--server").standard)
    }

    @Test(arguments: [(100_000, true, 413), (4_000, true, 413), (20_000, false, 413), (60_000, true, nil)])
    func proxyWithASmallLimitGetsSmallerBodies(limit: Int, inOne: Bool, status: Int?) throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        let count = inOne ? 2_000 : 600
        try insert(count, bytes: 400, into: first, inOne: inOne)
        let proxy = try LoopbackServer.proxy(to: port(stage), bodyBytesMax: limit, refusal: status)
        defer { proxy.close() }
        try redirect(first, to: "http://127.0.0.1:\(proxy.port)")
        let output = try Programs.run("roost", ["sync", first])
        #expect(output.status == 0 && output.standard.contains("smaller ones are sent"), "\(output)")
        try expectAgreement(first, second, count: count)
    }

    /// A daemon behind a proxy with a limit continues without user action.
    @Test func daemonBehindAProxyGoesOn() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        let proxy = try LoopbackServer.proxy(to: port(stage), bodyBytesMax: 30_000)
        defer { proxy.close() }
        try redirect(first, to: "http://127.0.0.1:\(proxy.port)")
        let daemon = try RunningProgram("roostd", [first], log: stage.folder.appending(path: "daemon.log"))
        for round in 1...2 {
            try insert(1_000, bytes: 400, into: first)
            let isPushed = try eventually(within: 60) {
                try Programs.check("roost", "status", first).standard.contains("waiting   nothing")
            }
            #expect(isPushed, "\(daemon.log)")
            try Programs.check("roost", "sync", second)
            #expect(try Programs.sql(second, "select count(*) from person").lines == ["\(round * 1_000)"])
        }
        #expect(daemon.terminate() == 0, "\(daemon.log)")
    }

    /// A record that the proxy refuses stays pending, and is not discarded. It is sent once the limit is raised.
    @Test func recordOverTheLimitWaitsForTheOperator() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        try insert(1, bytes: 50_000, into: first)
        let proxy = try LoopbackServer.proxy(to: port(stage), bodyBytesMax: 10_000)
        defer { proxy.close() }
        try redirect(first, to: "http://127.0.0.1:\(proxy.port)")
        let output = try Programs.run("roost", ["sync", first])
        #expect(output.status == 77 && output.error.contains("client_max_body_size"), "\(output)")
        #expect(try Programs.sql(first, "select count(*) from person").lines == ["1"])
        try redirect(first, to: stage.address)
        try Programs.check("roost", "sync", first)
        #expect(try Programs.sql(first, "select count(*) from roost_outbox").lines == ["0"])
    }

    /// The link carries 20 kB/s, and 2.4 MB are pending: more than one request may take. The test takes four minutes.
    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["ROOST_SLOW_LINKS"] != nil, "scripts/torture runs it"),
        .timeLimit(.minutes(6))
    ) func slowLinkGetsWhatItCarriesInTime() throws {
        let stage = try Stage()
        let first = try stage.makeScope()
        let second = try stage.join(first, as: "b.roost")
        try insert(5_009, bytes: 480, into: first)
        let link = try ShapedLink(
            to: port(stage), LinkShape(roundTrip: .milliseconds(50), bitsPerSecond: 160_000, loss: 0))
        defer { link.stop() }
        try redirect(first, to: link.address)
        let output = try Programs.run("roost", ["sync", first])
        #expect(output.status == 0, "\(output)")
        #expect(output.error.contains("waiting for the answer"))
        try expectAgreement(first, second, count: 5_009)
    }
}

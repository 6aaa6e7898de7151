import Replica
import RoostModel
import TestScope
import Testing

/// Writes of other programs during a full resynchronisation.
extension PullAnewTests {
    /// A write of the confirmed content is no edit: another device's edit that is pulled meanwhile wins.
    @Test func writeOfTheSameContentBeatsNothing() throws {
        let (scope, first, second) = try pair()
        try first.sql("update spending set content = 'lunch'")
        try scope.synchronise(first.replica)
        try second.sql("update spending set content = 'tea'; update spending set content = 'dinner'")
        try pullAnew(second, scope)
        #expect(try second.texts("select content from spending") == ["lunch"])
        #expect(try !second.replica.sessionStart().hasWaitingChanges)
    }

    /// After a write of the confirmed content, the user means the delete only, and the content is not sent with it.
    @Test func writeOfTheSameContentBeforeADeleteBeatsNothing() throws {
        let (scope, first, second) = try pair()
        try first.sql("update spending set content = 'lunch'")
        try scope.synchronise(first.replica)
        try second.sql("update spending set content = 'tea'; update spending set content = 'dinner'")
        try second.sql("delete from spending")
        try second.replica.settle()
        _ = try second.replica.apply(Array(scope.states.values), checkpoint: [9], serverTime: nil)
        #expect(try second.count("select count(*) from roost_outbox where put_stamp is not null") == 0)
        #expect(try second.count("select count(*) from roost_outbox where del_stamp is not null") == 1)
    }

    /// A record that the library undeletes wins against an edit that another device made meanwhile, although its content is
    /// the confirmed one.
    @Test func undeleteStandsAgainstAnEditMeanwhile() throws {
        let (scope, first, second) = try pair()
        try first.sql("update spending set content = 'lunch'")
        try scope.synchronise(first.replica)
        let id = RecordID(high: 0, low: 5)
        try second.replica.write("delete") { try $0.delete("Spending", id: id) }
        try second.replica.write("undelete") { try $0.undelete("Spending", id: id) }
        _ = try second.replica.apply(Array(scope.states.values), checkpoint: [9], serverTime: nil)
        #expect(try second.texts("select content from spending") == ["dinner"])
        try scope.synchronise(second.replica)
        try scope.synchronise(first.replica)
        #expect(try first.texts("select content from spending") == ["dinner"])
    }

    /// A program drops a table while the first page is in transit. That page does not have what this device has pushed since.
    @Test func pageThatWasAskedForBeforeIsNotTakenForEverything() throws {
        let (scope, _, second) = try pair()
        try second.replica.pullAnew(.differs)
        _ = try second.replica.apply([], checkpoint: nil, serverTime: nil, isLast: true)
        var asked = PageStart.checkpoint(nil)
        for _ in 1...2 {
            try second.replica.pullAnew(.damaged)
            #expect(try second.replica.apply([], since: asked, checkpoint: [1], serverTime: nil).isOvertaken)
            asked = try second.replica.startOfPull()
        }
        try second.sql("DROP TABLE spending; CREATE TABLE spending(a, b)")
        #expect(try second.replica.apply([], since: asked, checkpoint: [1], serverTime: nil).isOvertaken)
        let start = try second.replica.startOfPull()
        let report = try second.replica.apply(
            Array(scope.states.values), since: start, checkpoint: [2], serverTime: nil)
        #expect(!report.isOvertaken)
        #expect(try second.replica.digest() == scope.digest)
    }

    /// A program replaces a table while a push with a new record is in transit, which the server stores before or after it sends
    /// its pages. The reply restores the row, and nothing is deleted.
    @Test(arguments: [false, true]) func newRecordOfAReplacedTableComesBackWithTheReply(isInThePages: Bool) throws {
        let (scope, _, second) = try pair()
        try second.sql("insert into spending(id, content) values (\(id(6)), 'lunch')")
        let sent = try #require(try second.replica.sealChanges(scope.limits).first)
        var states = Array(scope.states.values)
        if isInThePages, case .put(let encoded, let base) = sent.kind {
            states.append(RecordState(key: sent.key, put: .init(stamp: sent.stamp, base: base, encoded: encoded)))
        }
        let asked = try second.replica.startOfPull()
        try second.sql("DROP TABLE spending; CREATE TABLE spending(a, b)")
        #expect(try second.replica.apply([], since: asked, checkpoint: [1], serverTime: nil).isOvertaken)
        let start = try second.replica.startOfPull()
        _ = try second.replica.apply(states, since: start, checkpoint: [2], serverTime: nil)
        #expect(try second.replica.status().missing == 1)
        try scope.push(second.replica)
        #expect(try second.texts("select content from spending order by id") == ["dinner", "lunch"])
        #expect(try second.replica.status().missing == 0)
        #expect(try second.replica.digest() == scope.digest)
        #expect(try !second.replica.sessionStart().hasWaitingChanges)
    }

    /// The server refuses a new record of a replaced table. No device has it, so the user is not asked whether it was
    /// deleted.
    @Test func nobodyIsAskedAboutANewRecordThatTheServerRefuses() throws {
        let (scope, _, second) = try pair()
        try second.sql("insert into spending(id, content) values (\(id(6)), 'lunch')")
        try second.replica.sealPushes(limits: scope.limits)
        let asked = try second.replica.startOfPull()
        try second.sql("DROP TABLE spending; CREATE TABLE spending(a, b)")
        #expect(try second.replica.apply([], since: asked, checkpoint: [1], serverTime: nil).isOvertaken)
        let start = try second.replica.startOfPull()
        _ = try second.replica.apply(Array(scope.states.values), since: start, checkpoint: [2], serverTime: nil)
        #expect(try second.replica.status().missing == 1)
        try scope.push(second.replica) { _ in ("No.", false) }
        #expect(try second.replica.status().missing == 0)
        #expect(try second.replica.journal().contains { $0.outcome == .refused })
    }

    /// A push was sealed before the full resynchronisation, and the server stores it after the first page. It omits the
    /// record from the others: the checkpoint of the push says that this replica has the put.
    @Test(arguments: [PullAnewReason.differs, .damaged])
    func putOfARecordWhoseDeleteWasUnderWayStays(reason: PullAnewReason) throws {
        let (scope, _, second) = try pair()
        let rest = scope.states.values.filter { $0.key != RecordKey(entity: 1, number: 2) }
        try second.sql("delete from person where id = \(id(2))")
        try second.replica.sealPushes(limits: scope.limits)
        try second.replica.pullAnew(reason)
        _ = try second.replica.apply(rest, checkpoint: [1], serverTime: nil, isLast: false)
        try scope.push(second.replica)
        _ = try second.replica.apply([], checkpoint: [2], serverTime: nil)
        #expect(try second.replica.digest() == scope.digest)
        #expect(try second.texts("select name from roost_hidden_person") == ["Bob"])
    }
}

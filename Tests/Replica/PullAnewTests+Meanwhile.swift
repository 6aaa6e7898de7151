import Replica
import RoostModel
import TestScope
import Testing

/// Writes of other programs during a full resynchronisation.
extension PullAnewTests {
    /// A write that says what was confirmed is no edit: an edit of another device that is pulled meanwhile stands.
    @Test func writeOfTheSameContentBeatsNothing() throws {
        let (scope, first, second) = try pair()
        try first.sql("update spending set content = 'lunch'")
        try scope.synchronise(first.replica)
        try second.sql("update spending set content = 'tea'; update spending set content = 'dinner'")
        try pullAnew(second, scope)
        #expect(try second.texts("select content from spending") == ["lunch"])
        #expect(try !second.replica.sessionStart().hasWaitingChanges)
    }

    /// A program drops a table while the first page is on its way; what this device has pushed since is not in that.
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
}

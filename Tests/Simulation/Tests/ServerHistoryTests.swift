import Simulation
import Testing

struct ServerHistoryTests {
    @Test func aBackupHasTheSequencesUpToItsHead() {
        var history = ServerHistory()
        let early = history.branch(of: 3)
        let late = history.branch(of: 4)

        history.goBack(to: history, head: 3)

        #expect(history.has(3, of: early))
        #expect(!history.has(4, of: late))
        #expect(history.has(4, of: history.branch(of: 4)))
    }

    @Test func aLaterBackupHasNothingOfWhatFollowedTheRestoreOfAnEarlierOne() {
        var history = ServerHistory()
        let backup = history
        let original = history.branch(of: 2)
        history.goBack(to: backup, head: 0)
        let abandoned = history.branch(of: 2)

        history.goBack(to: backup, head: 3)

        #expect(!history.has(2, of: abandoned))
        #expect(history.has(2, of: original))
    }

    @Test func aBackupAfterARestoreHasBothBranches() {
        var history = ServerHistory()
        let first = history.branch(of: 2)
        history.goBack(to: history, head: 2)
        let second = history.branch(of: 4)
        let backup = history
        history.goBack(to: ServerHistory(), head: 0)
        let third = history.branch(of: 2)

        history.goBack(to: backup, head: 4)

        #expect(history.has(2, of: first))
        #expect(history.has(4, of: second))
        #expect(!history.has(2, of: third))
    }

    @Test func everyHistoryHasItsBeginning() {
        var history = ServerHistory()
        let beginning = history.branch(of: 0)
        history.goBack(to: history, head: 2)

        #expect(history.has(0, of: beginning))
    }
}

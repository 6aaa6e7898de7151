internal import Foundation
internal import RoostModel
internal import TestProcesses

/// Kills the server again and again, and starts it anew; now and then it is only stopped for a while.
final class ServerChaos: @unchecked Sendable {
    // Used by one thread while the others run: the stage's server is its alone.
    private let torture: TortureStage
    private let book: KillBook
    private let recorder: Recorder

    init(_ torture: TortureStage, _ book: KillBook, _ recorder: Recorder) {
        self.torture = torture
        self.book = book
        self.recorder = recorder
    }

    /// Goes on as long as the devices write, and until it has killed and paused often enough.
    func run(_ random: SplitMix64, _ amounts: KillAmounts) throws {
        var random = random
        while book.isWriting || book.serverKills < amounts.serverKillsLeast
            || book.pauses(of: .server) < amounts.pausesLeast, !recorder.hasFailed
        {
            usleep(UInt32(Int.random(in: 100...2500, using: &random)) * 1000)
            if Int.random(in: 0..<4, using: &random) == 0 {
                torture.stage.server?.pause(milliseconds: Int.random(in: amounts.pauseMilliseconds, using: &random))
                book.paused(.server)
                recorder.fault("SIGSTOP of the server")
                continue
            }
            torture.stage.server?.kill()
            book.killed(isServer: true)
            recorder.fault("kill -9 of the server")
            usleep(UInt32(Int.random(in: 0...300, using: &random)) * 1000)
            try torture.stage.startServer()
        }
    }
}

internal import Foundation
internal import RoostModel
internal import TestProcesses

/// Kills and restarts the server repeatedly, and sometimes only stops it for a while.
final class ServerChaos: @unchecked Sendable {
    // One thread uses this class while the others run: only it uses the stage's server.
    private let torture: TortureStage
    private let book: KillBook
    private let recorder: Recorder

    init(_ torture: TortureStage, _ book: KillBook, _ recorder: Recorder) {
        self.torture = torture
        self.book = book
        self.recorder = recorder
    }

    /// Runs until the devices stop writing and there were enough kills and pauses.
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

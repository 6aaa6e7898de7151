internal import Foundation
internal import TestProcesses
internal import TestSupport

/// Kills the server again and again, and starts it anew.
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

    /// Goes on as long as the devices write, and until it has killed `least` times.
    func run(_ random: SplitMix64, least: Int) throws {
        var random = random
        while book.isWriting || book.serverKills < least, !recorder.hasFailed {
            usleep(UInt32(Int.random(in: 100...2500, using: &random)) * 1000)
            torture.stage.server?.kill()
            book.killed(isServer: true)
            recorder.fault("kill -9 of the server")
            usleep(UInt32(Int.random(in: 0...300, using: &random)) * 1000)
            try torture.stage.startServer()
        }
    }
}

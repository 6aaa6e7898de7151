internal import ArgumentParser
internal import Foundation
internal import Torture

/// One of the writing processes of the torture.
struct WriteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "write", abstract: "Write pairs to a replica through the library, and say each.",
        shouldDisplay: false)

    @Argument var file: String
    @Argument var author: String
    @Argument var first: Int
    @Argument var last: Int

    func run() throws {
        try PairWriter.write(file, author: author, first...last) { number in
            FileHandle.standardOutput.write(Data("\(number)\n".utf8))
        }
    }
}

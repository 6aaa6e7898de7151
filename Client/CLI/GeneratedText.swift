internal import Foundation
internal import Roost
internal import Terminal

/// A generated file.
struct GeneratedText {
    private let text: String

    init(_ text: String) { self.text = text }

    /// - Parameters:
    ///   - path: The path of the file; `nil` for standard output.
    ///   - isReported: Whether a sentence says that the file was written.
    func write(to path: String?, isReported: Bool) throws {
        guard let path else { return FileHandle.standardOutput.write(Data(text.utf8)) }
        guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else {
            throw RoostError(.invalidArgument, "Cannot write \"\(path)\": the folder is missing or not writable.")
        }
        if isReported { Console.write("Wrote \"\(path)\".") }
    }
}

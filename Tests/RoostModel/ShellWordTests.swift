import Foundation
import RoostModel
import Testing

@Suite struct ShellWordTests {
    @Test(arguments: [
        ("trip.roost", "trip.roost"), ("/home/ana/a_b-c.roost", "/home/ana/a_b-c.roost"),
        ("https://host:8080", "https://host:8080"), ("", "''"), ("my trip", "'my trip'"), ("it's", "'it'\\''s'"),
        ("$(touch x)", "'$(touch x)'"), ("~", "'~'"), ("a=b", "'a=b'"), ("Chloé", "'Chloé'"),
    ])
    func aWordIsQuotedWhereAShellWouldReadMoreInIt(text: String, word: String) {
        #expect(ShellWord.quoted(text) == word)
    }

    @Test(arguments: [("-rf", "-- -rf"), ("- x", "-- '- x'"), ("Ana", "Ana")])
    func aLastWordIsNoOption(text: String, words: String) {
        #expect(ShellWord.last(text) == words)
    }

    /// In the second text, each quote forms one character with the combining mark behind it.
    @Test(arguments: [
        "$(echo a) `echo b` \"$HOME\" \\ ! * ? # & | ; < > {a,b} [c]", "x'\u{301}; echo a '\u{301}", "''", "a\nb\tc",
        "$'\\x41'",
    ])
    func aShellReadsTheTextAgain(text: String) throws {
        let shell = Process()
        let output = Pipe()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", "printf %s \(ShellWord.quoted(text))"]
        shell.standardOutput = output
        try shell.run()
        let read = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        #expect(Array(read) == Array(text.utf8))
    }
}

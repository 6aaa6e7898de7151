import Testing

/// Comments of Swift files in the field's words. The modules that are not rewritten yet are listed; the list only shrinks.
@Suite struct EnglishTests {
    /// To be removed from this list when its comments have been rewritten. Nothing is ever added.
    private static let notYetRewritten = [
        "Benchmarks/", "Client/CLI/", "Client/Cekikapeye/", "Client/Generate/", "Client/Objects/", "Client/Roost/",
        "Client/Session/", "Client/Terminal/", "Client/Transport/", "Examples/", "Server/", "Sources/", "Tests/",
    ]

    private static var files: [ProjectFiles.File] {
        ProjectFiles.swift.filter { file in
            !notYetRewritten.contains { file.path.hasPrefix($0) }
        }
    }

    /// A comment, or one of the list items in it, with the number of its first line.
    private static func comments(of file: ProjectFiles.File) -> [(line: Int, text: Substring)] {
        var comments: [(line: Int, text: Substring)] = []
        var isInside = false
        for (number, line) in file.lines.enumerated() {
            guard let text = line.firstMatch(of: /^\s*\/\/\/? ?(.*)$/)?.output.1, !text.isEmpty else {
                isInside = false
                continue
            }
            if let item = text.firstMatch(of: /^\s*- (?:(?:Parameter \w+|Returns|Throws|\w+): )?(.*)$/)?.output.1 {
                comments.append((number + 1, item))
            } else if isInside, let last = comments.indices.last {
                comments[last].text += " " + text
            } else {
                comments.append((number + 1, text))
            }
            isInside = true
        }
        return comments
    }

    @Test func commentsBeginWithTheirSubject() {
        #expect(Self.files.count > 200)
        for file in Self.files {
            for comment in Self.comments(of: file) {
                let opening = comment.text.firstMatch(of: /^(?:What|Who|Whoever|Of which|The same)\b/)
                let isSubject = opening == nil
                #expect(isSubject, "\(file):\(comment.line): \(comment.text)")
            }
        }
    }

    @Test(arguments: ["anew", "whoever", "is told of", "are told of", "hears of", "of no use"])
    func commentsDoNotSay(_ words: String) {
        for file in Self.files {
            for comment in Self.comments(of: file) {
                let isSaid = " \(comment.text.lowercased()) ".contains(" \(words)")
                #expect(!isSaid, "\(file):\(comment.line): \(comment.text)")
            }
        }
    }

    /// A module that has been rewritten leaves the list.
    @Test(arguments: notYetRewritten)
    func listHasOnlyFoldersThatAreThere(_ folder: String) {
        #expect(ProjectFiles.swift.contains { $0.path.hasPrefix(folder) })
    }

    /// The check finds what it looks for.
    @Test func openingsAreFound() {
        let lines: [Substring] = [
            "    /// What a file says", "    /// of itself.", "    ///", "    /// - Parameter x: Who reads.",
        ]
        let comments = Self.comments(of: ProjectFiles.File(path: "x", lines: lines))
        #expect(comments.map(\.line) == [1, 4])
        #expect(comments.map(\.text) == ["What a file says of itself.", "Who reads."])
    }
}

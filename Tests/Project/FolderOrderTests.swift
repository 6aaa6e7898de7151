import Testing

/// Dependencies between the folders of a module whose README lists them in order.
@Suite struct FolderOrderTests {
    /// Every folder uses only folders that the table lists before it.
    @Test(arguments: ["Client/Replica"])
    func foldersUseThoseBeforeThem(_ room: String) {
        let order = Self.order(of: room)
        #expect(order.count > 2)
        let files = ProjectFiles.sources.filter { $0.path.hasPrefix("\(room)/") }
        for file in files { #expect(Self.folder(of: file, in: room).map(order.contains) ?? true, "\(file)") }
        let types = Self.types(of: files, in: room)
        for file in files {
            guard let folder = Self.folder(of: file, in: room), let place = order.firstIndex(of: folder) else {
                continue
            }
            for word in Self.words(of: file) {
                // A file directly in the module may use all folders, and every folder may use it.
                guard let home = types[word] else { continue }
                let isBelow = home.folder.flatMap { order.firstIndex(of: $0) }.map { $0 <= place } ?? false
                let isOperation = folder == order.last
                #expect(isBelow || isOperation, "\(file) uses \(word) of \(home.file)")
            }
        }
    }

    /// Returns the names in the first column of the README's table.
    private static func order(of room: String) -> [String] {
        ProjectFiles.read("\(room)/README.md").lines.compactMap { line in
            line.firstMatch(of: /^\| `([A-Za-z]+)` \|/).map { String($0.output.1) }
        }
    }

    /// Returns the folder of a file; `nil` for a file that is directly in the module.
    private static func folder(of file: ProjectFiles.File, in room: String) -> String? {
        let parts = file.path.dropFirst(room.count + 1).split(separator: "/")
        return parts.count > 1 ? String(parts[0]) : nil
    }

    /// Returns the types that the files declare at the top level, each with its folder and file.
    private static func types(of files: [ProjectFiles.File], in room: String) -> [Substring: (
        folder: String?, file: String
    )] {
        var types: [Substring: (folder: String?, file: String)] = [:]
        let declaration =
            /^(?:(?:package|public|final|indirect) )*(?:struct|class|enum|protocol|typealias|actor) ([A-Z]\w*)/
        for file in files {
            for line in file.lines {
                guard let name = line.firstMatch(of: declaration)?.output.1 else { continue }
                types[name] = (folder(of: file, in: room), file.path)
            }
        }
        return types
    }

    /// Returns the capitalised words of a file's code, without comments and string literals.
    private static func words(of file: ProjectFiles.File) -> Set<Substring> {
        var words: Set<Substring> = []
        var isText = false
        for line in file.lines {
            if line.contains("\"\"\"") { isText.toggle() }
            let code = line.trimmingPrefix(/\s+/)
            guard !isText, !code.hasPrefix("//") else { continue }
            for piece in code.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            where piece.offset % 2 == 0 {
                words.formUnion(piece.element.matches(of: /\b[A-Z]\w*/).map(\.output))
            }
        }
        return words
    }
}

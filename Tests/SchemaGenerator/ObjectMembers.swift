import Foundation

/// Members of the object layer's types that are visible to other modules, as the sources declare them.
enum ObjectMembers {
    /// Returns the names of a type's members, including those of its extensions in all files of the object layer's modules.
    static func names(of type: String) throws -> [String] {
        let found = try ["Client/Objects", "Client/Predicates"].flatMap { folder in
            let path = SourceFiles.top.appending(path: folder).path
            let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
            return try files.filter { $0.hasSuffix(".swift") }.flatMap { file in
                try names(of: type, in: SourceFiles.text("\(folder)/\(file)"))
            }
        }
        return Set(found).sorted()
    }

    /// Returns the names of the public types at the top level of folders.
    static func publicTypes(under folders: [String]) throws -> [String] {
        let type =
            /^(?:@\w+(?:\([^)]*\))? )*(?:public|open) (?:(?:final|indirect) )*(?:struct|class|enum|protocol|actor) (\w+)/
        let found = try folders.flatMap { folder in
            let path = SourceFiles.top.appending(path: folder).path
            let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
            return try files.filter { $0.hasSuffix(".swift") }.flatMap { file in
                try SourceFiles.text("\(folder)/\(file)").split(separator: "\n").compactMap {
                    $0.firstMatch(of: type).map { String($0.output.1) }
                }
            }
        }
        return Set(found).sorted()
    }

    private static func names(of type: String, in source: String) throws -> [String] {
        let start = try Regex("^(?:\\w+ )*(?:extension|class|protocol) \(type)\\b")
        let member = /^    (?:public |open |package )?(?:\w+(?:\(set\))? )*(?:func|var|let) (\w+)/
        var isInside = false
        var isVisible = false
        var names: [String] = []
        for line in source.split(separator: "\n") {
            if let first = line.first, first != " ", first != "}", !line.hasPrefix("where ") {
                isInside = line.firstMatch(of: start) != nil
                isVisible = line.contains("protocol ")
            }
            let isOfOthers =
                line.hasPrefix("    public ") || line.hasPrefix("    open ") || line.hasPrefix("    package ")
            if isInside, isVisible || isOfOthers, let match = line.firstMatch(of: member) {
                names.append(String(match.output.1))
            }
        }
        return names
    }
}

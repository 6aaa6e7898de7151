internal import Foundation
package import TestProcesses

/// The earlier and later programs of an upgrade test.
///
/// `scripts/earlier-programs` builds the earlier ones. The later ones are stored next to the tests. ROOST_EARLIER_PROGRAMS
/// and ROOST_LATER_PROGRAMS name other folders.
package struct UpgradePrograms: Sendable {
    package let earlier: ProgramSet
    package let later: ProgramSet

    /// The default commit that `scripts/earlier-programs` builds.
    private static let commit = "7201974"
    private static let names = ["roost", "roostd", "roost-server", "cekikapeye"]

    /// - Returns: `nil` if the earlier programs have not been built.
    package static func found() -> UpgradePrograms? {
        let environment = ProcessInfo.processInfo.environment
        func named(_ variable: String) -> URL? { environment[variable].map { URL(filePath: $0) } }
        guard let folder = named("ROOST_EARLIER_PROGRAMS") ?? cached() else { return nil }
        let earlier = ProgramSet(folder: folder, title: "earlier")
        let later = ProgramSet(folder: named("ROOST_LATER_PROGRAMS") ?? Programs.folder, title: "later")
        return earlier.has(names) ? UpgradePrograms(earlier: earlier, later: later) : nil
    }

    private static func cached() -> URL? {
        let cache = Programs.repository.appending(path: ".build-earlier")
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: cache.path)) ?? []
        return folders.first { $0.hasPrefix(commit) && !$0.hasSuffix(".build") }
            .map { cache.appending(path: $0) }
    }

    /// Returns the file format that programs write, as `PRAGMA user_version` of a new replica.
    func format(of programs: ProgramSet) throws -> Int {
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-format-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (schema, file) = (folder.appending(path: "schema.json").path, folder.appending(path: "new.roost").path)
        try Data(UpgradeSchema.first.utf8).write(to: URL(filePath: schema))
        try programs.check("roost", "init", file, "--schema", schema)
        return try Self.format(of: file)
    }

    /// Returns the format of a replica file.
    static func format(of file: String) throws -> Int {
        try Programs.sql(file, "PRAGMA user_version").lines.first.flatMap { Int($0) } ?? 0
    }
}

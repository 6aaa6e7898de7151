internal import Foundation

/// Locates the file of the group on which a command works.
struct GroupLocator {
    private let environment: ProcessEnvironment
    private let settings: SettingsFile

    init(_ environment: ProcessEnvironment, _ settings: SettingsFile) {
        self.environment = environment
        self.settings = settings
    }

    /// Returns the path of the named file, else that in CEKIKAPEYE_GROUP, else the only group in this folder, else
    /// the one used last.
    ///
    /// - Throws: ``CommandError`` if there is no group, or if the choice is ambiguous.
    func path(_ option: String?) throws(CommandError) -> String {
        if let named = named(option) {
            try check(named)
            return named
        }
        let here = groupsHere()
        if let only = here.first, here.count == 1 { return only }
        let last = settings.read().lastGroup
        if let last, FileManager.default.fileExists(atPath: last) { return last }
        guard here.isEmpty else { throw .severalGroups(here) }
        if let last { throw .lastGroupMissing(last) }
        throw .noGroup
    }

    /// Returns whether the group is the one used last, which neither the command line nor this folder determines.
    func isGuess(_ option: String?) -> Bool { named(option) == nil && groupsHere().count != 1 }

    private func named(_ option: String?) -> String? { option ?? environment.variable("CEKIKAPEYE_GROUP") }

    private func check(_ path: String) throws(CommandError) {
        // A shell may complete the name of an auxiliary file instead of the group's file.
        for ending in ["-wal", "-shm", "-sync", "-token"] where path.hasSuffix(ending) {
            let group = String(path.dropLast(ending.count))
            if FileManager.default.fileExists(atPath: group) { throw .partOfGroup(path, group: group) }
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { throw .noSuchFile(path) }
        guard !isFolder.boolValue else { throw .groupIsFolder(path) }
    }

    private func groupsHere() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: environment.currentFolder)) ?? []
        return names.filter { $0.hasSuffix(".roost") && !$0.hasPrefix(".") }.sorted()
    }
}

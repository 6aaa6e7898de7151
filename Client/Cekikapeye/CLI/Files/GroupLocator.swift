internal import Foundation

/// Finds the file of the group a command is about.
struct GroupLocator {
    private let environment: ProcessEnvironment
    private let settings: SettingsFile

    init(_ environment: ProcessEnvironment, _ settings: SettingsFile) {
        self.environment = environment
        self.settings = settings
    }

    /// The file named, else the one of CEKIKAPEYE_GROUP, else the only one in this folder, else the one used last.
    ///
    /// - Throws: ``CommandError`` where there is none, or it cannot be told which.
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

    /// Whether the file is the one used last, which nothing on the command line or in this folder names.
    func isGuess(_ option: String?) -> Bool { named(option) == nil && groupsHere().count != 1 }

    private func named(_ option: String?) -> String? { option ?? environment.variable("CEKIKAPEYE_GROUP") }

    private func check(_ path: String) throws(CommandError) {
        // The shell completes their names after that of the group.
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

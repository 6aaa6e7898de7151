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
        if let named = option ?? environment.variable("CEKIKAPEYE_GROUP") {
            guard FileManager.default.fileExists(atPath: named) else { throw .noSuchFile(named) }
            return named
        }
        let here = groupsHere()
        if let only = here.first, here.count == 1 { return only }
        if let last = settings.read().lastGroup, FileManager.default.fileExists(atPath: last) { return last }
        guard here.isEmpty else { throw .severalGroups(here) }
        throw .noGroup
    }

    private func groupsHere() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: environment.currentFolder)) ?? []
        return names.filter { $0.hasSuffix(".roost") && !$0.hasPrefix(".") }.sorted()
    }
}

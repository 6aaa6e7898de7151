internal import Foundation
internal import RoostModel

/// The settings file `cekikapeye/config.json` in the user's configuration folder.
struct SettingsFile {
    let path: String

    init(_ environment: ProcessEnvironment) {
        let home = environment.variable("HOME") ?? NSHomeDirectory()
        let folder = environment.variable("XDG_CONFIG_HOME") ?? "\(home)/.config"
        path = "\(folder)/cekikapeye/config.json"
    }

    /// Reads the settings. They are empty if the file is missing or invalid.
    func read() -> Settings {
        guard let data = FileManager.default.contents(atPath: path),
            let json = try? JSONParser.parse(String(decoding: data, as: UTF8.self))
        else { return Settings() }
        return Settings(json)
    }

    func write(_ settings: Settings) throws {
        let file = URL(filePath: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data((settings.json.prettyText + "\n").utf8).write(to: file, options: .atomic)
    }
}

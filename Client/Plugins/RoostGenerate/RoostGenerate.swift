import Foundation
import PackagePlugin

/// The command plugin that writes classes next to the schema files of a package's targets, for those who commit them.
///
///     swift package --allow-writing-to-package-directory generate-classes
///     swift package --allow-writing-to-package-directory generate-classes --target Model
///
/// `spendings.schema.json` gives `SpendingsModel.swift`. Options are in the target's file `roost-classes.json`.
@main struct RoostGenerate: CommandPlugin {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    func performCommand(context: PluginContext, arguments: [String]) throws {
        var arguments = ArgumentExtractor(arguments)
        let names = arguments.extractOption(named: "target")
        guard arguments.remainingArguments.isEmpty else {
            throw Failure(description: "Unknown arguments: \(arguments.remainingArguments.joined(separator: " ")).")
        }
        let targets = names.isEmpty ? context.package.targets : try context.package.targets(named: names)
        let tool = try context.tool(named: "roost-schema-tool").url
        var count = 0
        for module in targets.compactMap(\.sourceModule) {
            let files = module.sourceFiles.map(\.url)
            let options = files.filter { $0.lastPathComponent == "roost-classes.json" }.prefix(1).map(\.path)
            for schema in files where schema.lastPathComponent.hasSuffix(".schema.json") {
                let output = schema.deletingLastPathComponent().appending(path: Self.fileName(schema))
                try Self.run(tool, [schema.path, output.path] + options)
                Diagnostics.remark("Wrote \(output.path).")
                count += 1
            }
        }
        if count == 0 { throw Failure(description: "No target has a file *.schema.json.") }
    }

    /// The name of the generated file: `SpendingsModel.swift` of `spendings.schema.json`.
    private static func fileName(_ schema: URL) -> String {
        let name = schema.lastPathComponent.dropLast(".schema.json".count)
        return "\(name.prefix(1).uppercased())\(name.dropFirst())Model.swift"
    }

    private static func run(_ tool: URL, _ arguments: [String]) throws {
        let process = try Process.run(tool, arguments: arguments)
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(description: "The classes were not generated; see above.")
        }
    }
}

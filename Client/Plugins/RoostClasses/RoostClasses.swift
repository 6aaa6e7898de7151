import Foundation
import PackagePlugin

/// The build tool plugin that generates classes from the schema files of a target whenever the target is built.
///
/// A schema file has a name that ends in `.schema.json`. Options are in the target's file `roost-classes.json`.
@main struct RoostClasses: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
        guard let module = target.sourceModule else { return [] }
        let files = module.sourceFiles.map(\.url)
        let options = files.filter { $0.lastPathComponent == "roost-classes.json" }
        let schemas = files.filter { $0.lastPathComponent.hasSuffix(".schema.json") }
        if schemas.isEmpty {
            Diagnostics.warning("The target \"\(target.name)\" has no file *.schema.json to generate classes from.")
        }
        let tool = try context.tool(named: "roost-schema-tool").url
        return schemas.map { schema in
            // Not the name of the file that "swift package generate-classes" writes: a target may not have two of one name.
            let output = context.pluginWorkDirectoryURL.appending(
                path: "\(schema.deletingPathExtension().lastPathComponent).swift")
            return .buildCommand(
                displayName: "Generating classes from \(schema.lastPathComponent)", executable: tool,
                arguments: [schema.path, output.path] + options.prefix(1).map(\.path),
                inputFiles: [schema] + options.prefix(1), outputFiles: [output])
        }
    }
}

internal import Foundation

/// The program that the package plugins run: writes the Swift of one schema file.
///
///     roost-schema-tool SCHEMA OUTPUT [OPTIONS]
///
/// Its sources are those of `Client/Generate` and `Sources/RoostModel`, without any library: the package manager builds the program of
/// a plugin apart from all other modules (Docs/decisions/0236-classes-are-generated-by-plugins.md).
@main enum SchemaTool {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard arguments.count == 2 || arguments.count == 3 else {
            fail(64, ["roost-schema-tool: error: Expected a schema file, an output file, and perhaps options."])
        }
        let options = arguments.count == 3 ? options(arguments[2]) : GenerationOptions()
        let source = SwiftGenerator.source(for: schema(arguments[0]), options)
        guard FileManager.default.createFile(atPath: arguments[1], contents: Data(source.utf8)) else {
            fail(73, ["\(arguments[1]): error: The file cannot be written. Is its folder there?"])
        }
    }

    private static func schema(_ path: String) -> Schema {
        do {
            return try Schema(json: text(path))
        } catch {
            fail(65, error.problems.map { "\(path): error: \($0)" })
        }
    }

    private static func options(_ path: String) -> GenerationOptions {
        do {
            return try GenerationOptions(json: text(path))
        } catch {
            fail(65, ["\(path): error: \(error)"])
        }
    }

    private static func text(_ path: String) -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            fail(66, ["\(path): error: The file cannot be read."])
        }
        return String(decoding: data, as: UTF8.self)
    }

    /// Ends the program. A package manager and an editor show lines of this form at the file that they name.
    private static func fail(_ status: Int32, _ lines: [String]) -> Never {
        FileHandle.standardError.write(Data(lines.map { "\($0)\n" }.joined().utf8))
        exit(status)
    }
}

/// The options of generated files.
///
/// The package plugins read them from a target's file `roost-classes.json`:
///
///     {"access": "public", "structs": false, "leveledImports": false}
package struct GenerationOptions: Hashable, Sendable {
    /// The form of the declarations.
    package var form: SwiftForm
    /// The access level of the declarations.
    package var accessLevel: AccessLevel
    /// The form of the imports.
    package var imports: ImportForm

    /// An error in the file of a target's options.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// Makes options, by default those of `roost generate swift`.
    package init(form: SwiftForm = .classes, accessLevel: AccessLevel = .internal, imports: ImportForm = .plain) {
        self.form = form
        self.accessLevel = accessLevel
        self.imports = imports
    }

    /// Reads the text of a target's file. Each key may be missing.
    package init(json text: String) throws(Problem) {
        self.init()
        let value: JSONValue
        do {
            value = try JSONParser.parse(text)
        } catch {
            throw Problem(description: "The options cannot be read: \(error).")
        }
        guard let members = value.members else {
            throw Problem(
                description: "The options are \(value.kindName), expected {\"access\": \"public\"}, for instance.")
        }
        for member in members { try set(member) }
    }

    private mutating func set(_ member: JSONValue.Member) throws(Problem) {
        switch member.name {
        case "access":
            guard let level = member.value.stringValue.flatMap({ AccessLevel(rawValue: $0) }) else {
                throw Problem(description: "\"access\" is \(member.value.text), expected internal, package or public.")
            }
            accessLevel = level
        case "structs": form = try flag(member) ? .structs : .classes
        case "leveledImports": imports = try flag(member) ? .leveled : .plain
        default:
            throw Problem(
                description: "The option \"\(member.name)\" is not known. Write access, structs or leveledImports.")
        }
    }

    private func flag(_ member: JSONValue.Member) throws(Problem) -> Bool {
        guard let flag = member.value.booleanValue else {
            throw Problem(description: "\"\(member.name)\" is \(member.value.kindName), expected true or false.")
        }
        return flag
    }
}

extension SwiftGenerator {
    /// Writes the source file with some options.
    package static func source(for schema: Schema, _ options: GenerationOptions) -> String {
        source(for: schema, form: options.form, accessLevel: options.accessLevel, imports: options.imports)
    }
}

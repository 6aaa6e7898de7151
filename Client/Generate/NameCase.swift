/// The case of names in the languages that code is generated for.
enum NameCase {
    /// Returns a name as that of a type: `shared_group` is `SharedGroup`.
    static func upperCamel(_ name: String) -> String {
        name.parts(at: "_").flatMap { $0.parts(at: "-") }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// Returns a name as that of a property: `full_name` is `fullName`.
    static func lowerCamel(_ name: String) -> String {
        let camel = upperCamel(name)
        return camel.prefix(1).lowercased() + camel.dropFirst()
    }

    /// Returns the name, or one with a suffix where it is taken.
    static func unique(_ name: String, orElse suffix: String, _ isTaken: (String) -> Bool) -> String {
        var candidate = name
        var number = 1
        while isTaken(candidate) {
            candidate = number == 1 ? "\(name)\(suffix)" : "\(name)\(suffix)\(number)"
            number += 1
        }
        return candidate
    }
}

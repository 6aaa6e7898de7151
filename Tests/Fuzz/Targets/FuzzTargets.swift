import Foundation

/// All targets by name.
enum FuzzTargets {
    static let names = ["json", "put", "message", "schema", "replica", "csv", "link", "regex", "http"]

    static func make(_ name: String) throws -> any FuzzTarget {
        switch name {
        case "json": JSONTarget()
        case "put": PutTarget()
        case "message": try MessageTarget()
        case "schema": SchemaTarget()
        case "replica": ReplicaTarget()
        case "csv": CSVTarget()
        case "link": LinkTarget()
        case "regex": RegexTarget()
        default: try ServerTarget()
        }
    }
}

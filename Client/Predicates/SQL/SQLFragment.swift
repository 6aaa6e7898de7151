internal import Foundation
package import GRDB
package import RoostModel

/// An SQL fragment with its arguments, in the order of their question marks.
///
/// Every value is an argument. GRDB ends a bound text at its first NUL and binds empty data as NULL, so no text among the
/// arguments contains a NUL, and no data is empty.
package struct SQLFragment: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// One argument.
    package enum Argument: Hashable, Sendable {
        case value(Value)
        /// An identifier, which is bound in the form of the file (``IdentifierForm``).
        case identifier(RecordID)
    }

    package var text: String
    package var arguments: [Argument]

    package init(text: String, arguments: [Argument] = []) {
        self.text = text
        self.arguments = arguments
    }

    package init(stringLiteral text: String) {
        self.init(text: text)
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.fragment
    }

    /// A value as an argument.
    package init(value: Value) {
        switch value {
        case .null: self.init(text: "NULL")
        case .boolean(let flag): self.init(text: "?", arguments: [.value(.integer(flag ? 1 : 0))])
        case .string(let text) where text.utf8.contains(0):
            self.init(text: "CAST(? AS TEXT)", arguments: [.value(.data(Array(text.utf8)))])
        case .data(let bytes) where bytes.isEmpty: self.init(text: "zeroblob(0)")
        default: self.init(text: "?", arguments: [.value(value)])
        }
    }

    /// A constant of a predicate as an argument.
    init(value: Value, as kind: TermKind) {
        if kind.isIdentifier, case .data(let bytes) = value, let id = RecordID(bytes: bytes) {
            self.init(text: "?", arguments: [.identifier(id)])
        } else {
            self.init(value: value)
        }
    }

    /// SQL literals interpolated with fragments, names and values.
    package struct StringInterpolation: StringInterpolationProtocol {
        var fragment = SQLFragment(text: "")

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) {
            fragment.text += literal
        }

        package mutating func appendInterpolation(_ other: SQLFragment) {
            fragment.text += other.text
            fragment.arguments += other.arguments
        }

        /// Appends SQL verbatim, such as a name.
        package mutating func appendInterpolation(sql: String) {
            fragment.text += sql
        }

        package mutating func appendInterpolation(value: Value) {
            appendInterpolation(SQLFragment(value: value))
        }
    }

    /// Joins fragments with `separator`.
    package static func joined(_ fragments: [SQLFragment], _ separator: String) -> SQLFragment {
        SQLFragment(
            text: fragments.map(\.text).joined(separator: separator), arguments: fragments.flatMap(\.arguments))
    }

    /// Returns the arguments for GRDB.
    ///
    /// - Parameter identifiers: The form of the file's identifiers.
    package func statementArguments(_ identifiers: IdentifierForm) -> StatementArguments {
        StatementArguments(
            arguments.map { argument in
                switch argument {
                case .value(let value): value.databaseArgument
                case .identifier(let id): identifiers.value(id).databaseArgument
                }
            })
    }
}

extension Value {
    /// The value for GRDB.
    fileprivate var databaseArgument: DatabaseValue {
        switch self {
        case .null: .null
        case .string(let text): text.databaseValue
        case .integer(let number): number.databaseValue
        case .double(let number): number.databaseValue
        case .boolean(let flag): flag.databaseValue
        case .data(let bytes): Data(bytes).databaseValue
        }
    }
}

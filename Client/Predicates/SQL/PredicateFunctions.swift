internal import Foundation
package import GRDB
package import RoostModel

/// The pure SQL functions of predicates, and the collation of names.
///
/// Texts are passed as data, since GRDB ends a text at its first NUL. A NULL argument makes the result NULL.
///
/// - `roost_fold(data, options)`: the text folded as ``TextOptions`` says, as data; NULL of an empty text.
/// - `roost_like(data, pattern, options)`, `roost_matches(data, pattern, options)`: 1 or 0.
/// - `roost_uppercase(data)`, `roost_lowercase(data)`: text behind a space, as data; `roost_length(data)`: the number of its
///   characters without the space.
/// - `roost_ends(data, end)`: 1 or 0.
/// - `roost_sum(number)`, `roost_avg(number)`: aggregates as ``NumberTotal``.
/// - `roost_bytes(digits)`, `roost_identifier(digits)`, `roost_real(bits)`: members of packed lists; an identifier in the form
///   of the file.
/// - The collation `roost_locale`: texts as a dictionary has them, see ``NameOrder``.
package enum PredicateFunctions {
    /// Adds the functions and the collation to a connection.
    ///
    /// - Parameter identifiers: The form of the file's identifiers.
    package static func register(in database: Database, _ identifiers: IdentifierForm) {
        // Each connection has a cache of its own, since one thread at a time uses a connection.
        let patterns = PatternCache()
        database.add(
            function: text("roost_fold", 2) { texts, options in
                Data(TextFolding.folded(texts[0], options).utf8)
            })
        database.add(
            function: text("roost_like", 3) { texts, options in
                patterns.isLike(texts[0], texts[1], options)
            })
        database.add(
            function: text("roost_matches", 3) { texts, options in
                patterns.matches(texts[0], texts[1], options)
            })
        for function in PredicateTerm.TextFunction.allCases { database.add(function: transform(function)) }
        database.add(function: ends)
        database.add(function: bytes)
        database.add(
            function: DatabaseFunction("roost_identifier", argumentCount: 1, pure: true) { arguments in
                guard case .string(let digits) = arguments[0].storage else { return nil }
                return identifiers == .text ? digits : Hex.decode(digits.utf8).map { Data($0) }
            })
        database.add(function: real)
        database.add(
            function: DatabaseFunction("roost_sum", argumentCount: 1, pure: true, aggregate: SumAggregate.self))
        database.add(
            function: DatabaseFunction("roost_avg", argumentCount: 1, pure: true, aggregate: AverageAggregate.self))
        database.add(collation: DatabaseCollation("roost_locale", function: NameOrder.compare))
    }

    /// A function of texts, with options as its last argument.
    private static func text(
        _ name: String, _ count: Int,
        _ body: @escaping @Sendable ([String], TextOptions) -> (any DatabaseValueConvertible)?
    ) -> DatabaseFunction {
        DatabaseFunction(name, argumentCount: count, pure: true) { arguments in
            var texts: [String] = []
            for argument in arguments.dropLast() {
                guard case .blob(let data) = argument.storage else { return nil }
                texts.append(String(decoding: data, as: UTF8.self))
            }
            guard case .int64(let options)? = arguments.last?.storage else { return nil }
            return body(texts, TextOptions(rawValue: Int(options)))
        }
    }

    /// A function of a text behind a space, which no text function changes or joins with the text.
    private static func transform(_ function: PredicateTerm.TextFunction) -> DatabaseFunction {
        DatabaseFunction(function.sqlName, argumentCount: 1, pure: true) { arguments in
            guard case .blob(let data) = arguments[0].storage else { return nil }
            switch function.applied(to: .string(String(decoding: data.dropFirst(), as: UTF8.self))) {
            case .string(let text): return Data((" " + text).utf8)
            case .integer(let number): return number
            default: return nil
            }
        }
    }

    private static let ends = DatabaseFunction("roost_ends", argumentCount: 2, pure: true) { arguments in
        guard case .blob(let bytes) = arguments[0].storage, case .blob(let end) = arguments[1].storage else {
            return nil
        }
        return bytes.count >= end.count && bytes.suffix(end.count) == end
    }

    private static let bytes = DatabaseFunction("roost_bytes", argumentCount: 1, pure: true) { arguments in
        guard case .string(let digits) = arguments[0].storage else { return nil }
        return Hex.decode(digits.utf8).map { Data($0) }
    }

    private static let real = DatabaseFunction("roost_real", argumentCount: 1, pure: true) { arguments in
        guard case .int64(let bits) = arguments[0].storage else { return nil }
        return Double(bitPattern: UInt64(bitPattern: bits))
    }
}

/// `roost_sum`
private struct SumAggregate: DatabaseAggregate {
    private var total = NumberTotal()

    mutating func step(_ values: [DatabaseValue]) { total.add(values[0].number) }
    func finalize() -> (any DatabaseValueConvertible)? { total.sum.databaseNumber }
}

/// `roost_avg`
private struct AverageAggregate: DatabaseAggregate {
    private var total = NumberTotal()

    mutating func step(_ values: [DatabaseValue]) { total.add(values[0].number) }
    func finalize() -> (any DatabaseValueConvertible)? { total.average.databaseNumber }
}

extension DatabaseValue {
    fileprivate var number: Value {
        switch storage {
        case .int64(let number): .integer(number)
        case .double(let number): .double(number)
        case .null, .string, .blob: .null
        }
    }
}

extension Value {
    fileprivate var databaseNumber: (any DatabaseValueConvertible)? {
        switch self {
        case .integer(let number): number
        case .double(let number): number
        default: nil
        }
    }
}

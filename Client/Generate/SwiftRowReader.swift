/// The declarations that every generated struct uses to read its rows.
enum SwiftRowReader {
    static func source(_ names: SwiftNames, _ access: String) -> String {
        [error(names, access), reader(names), forms].joined(separator: "\n")
    }

    private static func error(_ names: SwiftNames, _ access: String) -> String {
        """
        /// A row that is not what its struct expects.
        \(access)nonisolated struct \(names.error): Error, Hashable, Sendable, CustomStringConvertible {
            /// The entity's name.
            \(access)var entity: String
            /// The column at fault; `nil` where the row has not as many values as there are columns.
            \(access)var column: String?

            /// The fault, and the remedy.
            \(access)var description: String {
                guard let column else {
                    return "Cannot read a row of \\"\\(entity)\\": it has another number of columns. Select its columns."
                }
                return "Cannot read a row of \\"\\(entity)\\": \\"\\(column)\\" is not of its type. Select its columns in order."
            }
        }

        """
    }

    private static func reader(_ names: SwiftNames) -> String {
        """
        /// The values of one row by column.
        private nonisolated struct \(names.reader) {
            private let values: [Value]
            private let entity: String
            private let columns: [String]

            init(_ values: [Value], of entity: String, columns: [String]) throws(\(names.error)) {
                guard values.count == columns.count else { throw \(names.error)(entity: entity) }
                self.values = values
                self.entity = entity
                self.columns = columns
            }

            func required<Result>(_ index: Int, _ read: (Value) -> Result?) throws(\(names.error)) -> Result {
                guard let result = read(values[index]) else {
                    throw \(names.error)(entity: entity, column: columns[index])
                }
                return result
            }

            func optional<Result>(_ index: Int, _ read: (Value) -> Result?) throws(\(names.error)) -> Result? {
                values[index] == .null ? nil : try required(index, read)
            }
        }

        """
    }

    /// The accessors of a `Value`. SQLite has no booleans; a row contains 0 and 1 instead.
    private static let forms = """
        nonisolated extension Value {
            fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
            fileprivate var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
            fileprivate var double: Double? { if case .double(let number) = self { number } else { nil } }
            fileprivate var data: [UInt8]? { if case .data(let bytes) = self { bytes } else { nil } }
            fileprivate var identifier: RecordID? { data.flatMap { RecordID(bytes: $0) } }

            fileprivate var boolean: Bool? {
                switch self {
                case .boolean(let flag): flag
                case .integer(let number): number != 0
                default: nil
                }
            }
        }

        """
}

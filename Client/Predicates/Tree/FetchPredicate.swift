/// A condition on records, which selects the results of a fetch request and the records of a batch change.
///
/// Written as text in the format language, made of ``TypedPredicate``, or of Foundation's `#Predicate`:
///
///     let dear = try FetchPredicate(format: "amount > %@ AND person.name BEGINSWITH[cd] %@", 100_00, "jean")
///
/// Logic has two values. A nil is equal to nil and to nothing else; a nil is never less, greater, found or matched. Texts are
/// compared by their Unicode scalars, or folded with `[c]` and `[d]`. Integer division truncates; a result that exceeds
/// 64 bits becomes a double; a division by zero is nil. `@sum` of nothing is 0; `@avg`, `@min` and `@max` of nothing are nil.
///
/// The time of MATCHES grows only with the lengths of the text and of the regular expression, also for `(a+)+b`. It therefore
/// has no back references, no look-around and no possessive repetitions.
public struct FetchPredicate: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of a format text, in bytes.
    public static let formatBytesMax = 100_000
    /// The maximum nesting of parentheses, NOT, SUBQUERY and lists in a format text.
    public static let formatDepthMax = 100

    package var node: PredicateNode

    package init(_ node: PredicateNode) {
        self.node = node
    }

    /// Reads the format language, in which keywords may be written in any case.
    ///
    /// | written | means |
    /// |---|---|
    /// | `person.name`, `SELF`, `#in` | a property, through to-one relationships; the record itself; a property with a keyword's name |
    /// | `== != < <= > >=`, also `=` and `<>` | comparison |
    /// | `BETWEEN {1, 10}`, `IN {1, 2}`, `IN %@` | both ends included; one of them |
    /// | `BEGINSWITH`, `ENDSWITH`, `CONTAINS` | parts of texts |
    /// | `LIKE "a*b?"`, `MATCHES "a.+"` | the whole text: `*` any characters, `?` one; a regular expression |
    /// | `==[cd]`, `CONTAINS[c]` | ignoring case (c), accents (d), width (w: Ａ is A) |
    /// | `AND OR NOT`, `&& \|\| !`, `TRUEPREDICATE` | logic |
    /// | `"x" IN name`, `name.length`, `uppercase:(name)`, `lowercase:(name)` | the text contains "x"; its number of characters; it in capitals, in small letters |
    /// | `lines[FIRST].price`, `lines[LAST]`, `lines[SIZE]` | of the first and last record of a to-many relationship, in its order; as `lines.@count` |
    /// | `ANY tags.name == "x"`, `ALL …`, `NONE …` | about the elements of a to-many path; `ALL` is true without elements |
    /// | `tags CONTAINS %@`, `%@ IN tags` | a record among those of a to-many relationship |
    /// | `spendings.@count`, `spendings.@sum.amount`, `@avg`, `@min`, `@max` | computed over a to-many relationship |
    /// | `SUBQUERY(spendings, $s, $s.amount > 5).@count` | the number of elements that satisfy a predicate |
    /// | `+ - * /`, `100_00`, `"text"`, `'text'`, `nil`, `true`, `YES` | numbers, texts and other values |
    /// | `"2026-07-14"`, `CAST("2026-07-14T09:30:00Z", "NSDate")` | a day, an instant |
    /// | `%@`, `%K`, `%d`, `%f`, `$name` | an argument: a value, a key path, a number or its text; a variable |
    ///
    /// - Parameters:
    ///   - format: At most ``formatBytesMax`` bytes.
    ///   - arguments: The values for `%@`, `%K`, `%d` and so on, in order.
    /// - Throws: ``FetchPredicateError`` with the column of the error.
    public init(format: String, _ arguments: any PredicateArgument...) throws(FetchPredicateError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Reads the format language, with its arguments in a list.
    public init(format: String, arguments: [any PredicateArgument]) throws(FetchPredicateError) {
        node = try FormatParser.parse(format, arguments.map(\.predicateValue))
    }

    /// The predicate that every record satisfies.
    public static let all = FetchPredicate(.constant(true))
    /// The predicate that no record satisfies.
    public static let none = FetchPredicate(.constant(false))

    /// A predicate that is true where both operands are true.
    @_disfavoredOverload
    public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        FetchPredicate(.conjunction([left.node, right.node]))
    }

    /// A predicate that is true where at least one operand is true.
    @_disfavoredOverload
    public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        FetchPredicate(.disjunction([left.node, right.node]))
    }

    /// The negation: true where the predicate is false, also for a nil, since logic has two values.
    @_disfavoredOverload
    public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate {
        FetchPredicate(predicate.node.negated)
    }

    /// Replaces `$variables` by values; variables without a value stay.
    public func substituting(_ values: [String: any PredicateArgument]) -> FetchPredicate {
        FetchPredicate(node.substituting(values.mapValues(\.predicateValue)))
    }

    /// The canonical text, which reads back as an equal predicate.
    public var description: String { FormatWriter.text(of: node) }
}

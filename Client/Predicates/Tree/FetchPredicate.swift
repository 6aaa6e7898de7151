/// A condition on records: what a fetch request returns, what a batch change touches.
///
/// Written as text in the format language, made of ``TypedPredicate``, or of Foundation's `#Predicate`:
///
///     let dear = try FetchPredicate(format: "amount > %@ AND person.name BEGINSWITH[cd] %@", 100_00, "jean")
///
/// Logic has two values. A nil is equal to nil and to nothing else; what is ordered, searched or matched is never nil. Texts are
/// compared by their Unicode scalars, or folded with `[c]` and `[d]`. Whole numbers are divided without a rest; what exceeds
/// 64 bits becomes a double; a division by zero is nil. `@sum` of nothing is 0; `@avg`, `@min` and `@max` of nothing are nil.
///
/// MATCHES takes time that grows with the length of the text and of the regular expression only, also for `(a+)+b`. So there
/// are no back references, no look-around and no possessive repetitions.
public struct FetchPredicate: Hashable, Sendable, CustomStringConvertible {
    /// How many bytes a format text may have.
    public static let formatBytesMax = 100_000
    /// How many levels of parentheses, NOT, SUBQUERY and lists a format text may have.
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
    /// | `ANY tags.name == "x"`, `ALL …`, `NONE …` | of all that a to-many path leads to; `ALL` is true of nothing |
    /// | `tags CONTAINS %@`, `%@ IN tags` | a record among those of a to-many relationship |
    /// | `spendings.@count`, `spendings.@sum.amount`, `@avg`, `@min`, `@max` | computed of a to-many relationship |
    /// | `SUBQUERY(spendings, $s, $s.amount > 5).@count` | how many satisfy a predicate |
    /// | `+ - * /`, `100_00`, `"text"`, `'text'`, `nil`, `true`, `YES` | numbers, texts and other values |
    /// | `"2026-07-14"`, `CAST("2026-07-14T09:30:00Z", "NSDate")` | a day, an instant |
    /// | `%@`, `%K`, `%d`, `%f`, `$name` | an argument: a value, a key path, a number or its text; a value that comes later |
    ///
    /// - Parameters:
    ///   - format: At most ``formatBytesMax`` bytes.
    ///   - arguments: What stands for `%@`, `%K`, `%d` and so on, in order.
    /// - Throws: ``FetchPredicateError`` with the column of the mistake.
    public init(format: String, _ arguments: any PredicateArgument...) throws(FetchPredicateError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Reads the format language, with its arguments in a list.
    public init(format: String, arguments: [any PredicateArgument]) throws(FetchPredicateError) {
        node = try FormatParser.parse(format, arguments.map(\.predicateValue))
    }

    /// True of every record.
    public static let all = FetchPredicate(.constant(true))
    /// True of no record.
    public static let none = FetchPredicate(.constant(false))

    /// True where both are.
    public static func && (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        FetchPredicate(.conjunction([left.node, right.node]))
    }

    /// True where at least one is.
    public static func || (left: FetchPredicate, right: FetchPredicate) -> FetchPredicate {
        FetchPredicate(.disjunction([left.node, right.node]))
    }

    /// True where the predicate is not. There is no third value: of a nil too.
    public static prefix func ! (predicate: FetchPredicate) -> FetchPredicate {
        FetchPredicate(predicate.node.negated)
    }

    /// Puts values in the place of `$variables`; those that are not named stay.
    public func substituting(_ values: [String: any PredicateArgument]) -> FetchPredicate {
        FetchPredicate(node.substituting(values.mapValues(\.predicateValue)))
    }

    /// The canonical text, which reads back as an equal predicate.
    public var description: String { FormatWriter.text(of: node) }
}

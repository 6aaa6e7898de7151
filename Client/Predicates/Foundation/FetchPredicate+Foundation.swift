public import Foundation

extension FetchPredicate {
    /// Translates a Foundation predicate.
    ///
    ///     let dear = #Predicate<Spending> { $0.person?.name == "Anna" && $0.amount > 100_00 }
    ///     let predicate = try FetchPredicate(dear, names: [\Spending.person: "person", \Person.name: "name", …])
    ///
    /// Supported are comparisons, `&&`, `||`, `!`, nil, `?.`, `??`, `if`, arithmetic, `contains` and `starts(with:)` of texts, lists
    /// and ranges that contain a value, and of to-many relationships `count`, `isEmpty`, `contains`, `contains(where:)`,
    /// `allSatisfy` and the count of a `filter`. A computation that traps in Swift, such as a division by zero, gives nil
    /// here. Texts are compared by Unicode scalars here and by characters in Foundation; the results differ for unnormalised texts.
    ///
    /// - Parameter names: The property of each key path, since key paths have no names at run time; a name may be a path.
    /// - Throws: ``FetchPredicateError`` with the code `unsupported` for anything else, `unknownProperty` for a key path
    ///   that `names` does not have.
    public init<Root>(_ predicate: Predicate<Root>, names: [AnyKeyPath: String]) throws(FetchPredicateError) {
        let translator = ExpressionTranslator(names)
        translator.variables[predicate.variable.key] = .of(PredicatePath([]))
        self.init(try translator.node(predicate.expression))
    }
}

public import Foundation

extension FetchPredicate {
    /// Takes over a predicate of Foundation.
    ///
    ///     let dear = #Predicate<Spending> { $0.person?.name == "Anna" && $0.amount > 100_00 }
    ///     let predicate = try FetchPredicate(dear, names: [\Spending.person: "person", \Person.name: "name", …])
    ///
    /// It may use comparisons, `&&`, `||`, `!`, nil, `?.`, `??`, `if`, arithmetic, `contains` and `starts(with:)` of texts, lists
    /// and ranges that contain a value, and of to-many relationships `count`, `isEmpty`, `contains`, `contains(where:)`,
    /// `allSatisfy` and the count of a `filter`. Where a computation stops a program, such as a division by zero, it is nil
    /// here. Texts are Unicode scalars here, and characters to Foundation, which differs for texts that are not in one Unicode form.
    ///
    /// - Parameter names: The property of each key path, for key paths have no names at run time; a name may be a path.
    /// - Throws: ``FetchPredicateError`` with the code `unsupported` for anything else, `unknownProperty` for a key path
    ///   that `names` does not have.
    public init<Root>(_ predicate: Predicate<Root>, names: [AnyKeyPath: String]) throws(FetchPredicateError) {
        let translator = ExpressionTranslator(names)
        translator.variables[predicate.variable.key] = .of(PredicatePath([]))
        self.init(try translator.node(predicate.expression))
    }
}

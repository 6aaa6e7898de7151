/// Why a predicate does not fit the schema, before it is known how its text reads.
struct BindingFault: Error {
    var code: FetchPredicateError.Code
    var message: String
    var place: SourcePlace?

    init(_ code: FetchPredicateError.Code, _ message: String, at place: SourcePlace? = nil) {
        self.code = code
        self.message = message
        self.place = place
    }

    /// The same with a place, unless it has a closer one.
    func at(_ place: SourcePlace?) -> BindingFault {
        BindingFault(code, message, at: self.place ?? place)
    }

    /// As users get it: with the place, or else with a text that names what is meant.
    func error(text: String) -> FetchPredicateError {
        place.map { FetchPredicateError(code, message, at: $0) } ?? FetchPredicateError(code, message, text: text)
    }
}

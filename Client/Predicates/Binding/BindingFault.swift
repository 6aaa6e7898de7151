/// A mismatch between a predicate and the schema, before the predicate's text is added to it.
struct BindingFault: Error {
    var code: FetchPredicateError.Code
    var message: String
    var location: FormatLocation?

    init(_ code: FetchPredicateError.Code, _ message: String, at location: FormatLocation? = nil) {
        self.code = code
        self.message = message
        self.location = location
    }

    /// Adds a location, unless the fault has a more precise one.
    func at(_ location: FormatLocation?) -> BindingFault {
        BindingFault(code, message, at: self.location ?? location)
    }

    /// The public error. A fault without location shows `text`.
    func error(text: String) -> FetchPredicateError {
        location.map { FetchPredicateError(code, message, at: $0) } ?? FetchPredicateError(code, message, text: text)
    }
}

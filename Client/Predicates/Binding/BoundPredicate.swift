package import RoostModel

/// A predicate that fits an entity of a schema: ready to be evaluated, or compiled to SQL.
package struct BoundPredicate: Sendable {
    package let schema: Schema
    /// Whose records it is about.
    package let entity: Entity
    let node: BoundNode
    /// How many records are looked at at once: the tested one, and the elements of nested collections.
    let slots: Int
    /// The patterns of LIKE and MATCHES, from one record to the next.
    let patterns = PatternCache()
}

extension FetchPredicate {
    /// How many levels a predicate may be nested; SQLite may take fewer, depending on what they are.
    package static let depthMax = 60

    /// Looks up names and checks types.
    ///
    /// - Throws: ``FetchPredicateError``, with its place in the format text or, for a predicate that was not written as text,
    ///   in its canonical form.
    package func bound(to schema: Schema, entity name: String) throws(FetchPredicateError) -> BoundPredicate {
        guard !node.isDeeper(than: Self.depthMax) else {
            throw FetchPredicateError(
                .tooComplex, "The predicate is nested deeper than \(Self.depthMax) levels. Write it flatter.", text: "")
        }
        do {
            _ = try PathResolver(schema: schema).entity(named: name)
        } catch {
            throw error.error(text: "")
        }
        do {
            return try PredicateBinder.bind(node, schema, name)
        } catch {
            // What is too complex is so as a whole.
            guard error.place == nil, error.code != .tooComplex else { throw error.error(text: "") }
            throw located(error, schema, name)
        }
    }

    /// The same mistake with its place in the canonical text.
    private func located(_ fault: BindingFault, _ schema: Schema, _ entity: String) -> FetchPredicateError {
        let text = description
        guard let read = try? FetchPredicate(format: text) else { return fault.error(text: text) }
        do {
            _ = try PredicateBinder.bind(read.node, schema, entity)
        } catch {
            return error.error(text: text)
        }
        return fault.error(text: text)
    }
}

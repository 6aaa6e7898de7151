package import RoostModel

/// A predicate bound to an entity of a schema, ready to be evaluated or compiled to SQL.
package struct BoundPredicate: Sendable {
    package let schema: Schema
    /// The entity of the tested records.
    package let entity: Entity
    let node: BoundNode
    /// The number of slots: one for the tested record, and one for the elements of each nested collection.
    let slots: Int
    /// The cached patterns of LIKE and MATCHES, shared by all tested records.
    let patterns = PatternCache()
}

extension FetchPredicate {
    /// The maximum nesting of a predicate; SQLite may accept less, depending on the forms.
    package static let depthMax = 60

    /// Resolves names and checks types.
    ///
    /// - Throws: ``FetchPredicateError`` with the location in the format text or, for a predicate that was not written as text,
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
            // The entire predicate is too complex, so there is no location.
            guard error.location == nil, error.code != .tooComplex else { throw error.error(text: "") }
            throw located(error, schema, name)
        }
    }

    /// The error with its location in the canonical text.
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

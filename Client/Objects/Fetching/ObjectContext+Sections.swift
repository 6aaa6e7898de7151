public import Predicates
internal import Replica
internal import RoostModel

// Lists with sections that are shown once; ``FetchedResultsController`` makes live lists.
extension ObjectContext {
    /// Returns the objects that a request asks for, in sections of a value that they have in common.
    ///
    ///     let sections = try context.fetchSections(
    ///         request, by: \.person, sortedBy: [.ascending(\.person.name, .localized)])
    ///
    /// - Parameters:
    ///   - request: The request for the objects. Its order applies within a section; its limit and offset count through all
    ///     sections.
    ///   - path: A property or a path through to-one relationships, such as `person` or `person.name`.
    ///   - sections: The order of the sections. Sections that are equal in it, and all sections where it is empty, are in the
    ///     order of their value. They stay separate sections: two people with one name do not become one.
    /// - Throws: As ``fetch(_:)``.
    public func fetchSections<Object: ManagedObject>(
        _ request: FetchRequest<Object>, by path: String, sortedBy sections: [FetchSortDescriptor] = []
    ) throws -> [FetchedSection<Object>] {
        var ordered = request
        ordered.sortDescriptors = sections + [.ascending(path)] + request.sortDescriptors
        var compiler = try FetchCompiler(ordered, model)
        let section = try compiler.expression(path)
        let place = Int32(compiler.entity.columns.count + 1)
        let columns = "\(objectColumns(compiler.entity, compiler.alias)), \(section.sql)"
        let rows = try rows(ordered, compiler, columns, keysAt: place + 1) { query, store in
            object(query, 0, compiler.entity, store).map { (object: $0, value: query.value(place, as: section.kind)) }
        }
        batchAnew(rows.map(\.object))
        try prefetch(request.prefetchedRelationships, rows.map(\.object))
        var found: [(value: Value, objects: [Object])] = []
        for row in rows {
            guard let typed = row.object as? Object else { throw wrongClass(Object.self, compiler.entity) }
            if let last = found.indices.last, found[last].value == row.value {
                found[last].objects.append(typed)
            } else {
                found.append((row.value, [typed]))
            }
        }
        return found.map { FetchedSection(value: $0.value, objects: $0.objects) }
    }

    /// Returns the objects that a request asks for, in sections of the objects that they name by a to-one relationship.
    ///
    /// - Throws: As ``fetchSections(_:by:sortedBy:)-(_,String,_)``.
    public func fetchSections<Object: TypedObject, Fields: EntityFields>(
        _ request: FetchRequest<Object>, by relationship: KeyPath<Object.Fields, Fields>,
        sortedBy sections: [TypedSortDescriptor<Object.Fields>] = []
    ) throws -> [FetchedSection<Object>] {
        try fetchSections(request, by: relationship.formatPath(), sortedBy: sections.map(\.descriptor))
    }

    /// Returns the objects that a request asks for, in sections of the values of an attribute.
    ///
    /// - Throws: As ``fetchSections(_:by:sortedBy:)-(_,String,_)``.
    public func fetchSections<Object: TypedObject>(
        _ request: FetchRequest<Object>, by field: KeyPath<Object.Fields, some AttributePath>,
        sortedBy sections: [TypedSortDescriptor<Object.Fields>] = []
    ) throws -> [FetchedSection<Object>] {
        try fetchSections(request, by: field.formatPath(), sortedBy: sections.map(\.descriptor))
    }
}

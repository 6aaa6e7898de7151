public import Predicates

extension FetchedResultsController where Object: TypedObject {
    /// Makes live results with a section for each value of a field. The request must sort by that field first.
    ///
    /// - Throws: As ``init(_:in:sectionedBy:)-(_,_,String?)``.
    public convenience init(
        _ request: FetchRequest<Object>, in context: ObjectContext,
        sectionedBy field: KeyPath<Object.Fields, some AttributePath>
    ) throws {
        try self.init(request, in: context, sectionedBy: field.formatPath())
    }
}

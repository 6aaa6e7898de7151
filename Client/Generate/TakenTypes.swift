/// The names of types that generated types must not have. A type of a module hides imported types of its name in all of the module.
enum TakenTypes {
    /// All of them.
    static let all = swift.union(foundation).union(sdk).union(modules).union(members)

    /// Types of Swift that programs use by these names.
    private static let swift: Set<String> = [
        "Actor", "Any", "AnyHashable", "AnyKeyPath", "AnyObject", "Array", "ArraySlice", "AsyncSequence", "AsyncStream",
        "Bool", "CancellationError", "CaseIterable", "Character", "Clock", "ClosedRange", "Codable", "Collection",
        "Comparable", "CustomStringConvertible", "Decodable", "Dictionary", "Double", "Duration", "Encodable",
        "Equatable", "Error", "Float", "Hashable", "Hasher", "Identifiable", "Int", "Int16", "Int32", "Int64", "Int8",
        "Iterator", "KeyPath", "MainActor", "Never", "Numeric", "Optional", "Protocol", "Range", "RawRepresentable",
        "Regex", "Result", "Self", "Sendable", "Sequence", "Set", "StaticString", "String", "Substring", "Swift",
        "Task", "TaskGroup", "Type", "UInt", "UInt16", "UInt32", "UInt64", "UInt8", "Unicode", "Void",
    ]

    /// Types of Foundation that generated code uses, and those that programs use for files and days.
    private static let foundation: Set<String> = [
        "Data", "Date", "Foundation", "URL", "UUID",
    ]

    /// The public types of what `import Roost` gives.
    private static let sdk: Set<String> = [
        "Attribute", "AttributeAlone", "AttributePath", "AttributeValue", "Change", "ChangeOrigin", "ConditionPath",
        "ContentCoding", "ContentHash", "ContextID", "DocumentFormat", "Durability", "ElementsPath", "Entity",
        "EntityFields", "EntityID", "FetchAggregate", "FetchGroup", "FetchPredicate", "FetchPredicateError",
        "FetchRequest", "FetchSortDescriptor", "FetchedObjects", "FetchedResultsController", "FetchedSection",
        "FieldPath", "HybridTimestamp", "IdentifierForm", "JournalEntry", "JournalRetention", "LiveSession",
        "LocalTransaction", "LogEntry", "ManagedObject", "ManyFields", "Membership", "MergePolicy", "MigrationPlan",
        "MigrationStep", "MismatchedOperand", "MismatchedRecord", "NameAfterAttribute", "NameAfterElements",
        "ObjectContainer", "ObjectContext", "ObjectDocument", "ObjectError", "ObjectID", "ObjectLiveness",
        "ObjectModel", "ObjectRegistration", "ObjectStore", "PredicateArgument", "PredicateInteger",
        "PredicateRangeBound", "PredicateReference", "PredicateValue", "PropertyID", "PropertyOfAClass",
        "PullAnewReason", "Put", "RecordID", "RecordKey", "RecordState", "RefreshReport", "Relationship",
        "RelationshipPath", "RemoteChangeObservation", "Replica", "ReplicaCheck", "ReplicaError", "ReplicaID",
        "ReplicaRepair", "ReplicaStatus", "ResultsChange", "ResultsDifference", "ResultsIndexPath", "ResultsPlacement",
        "ResultsSection",
        "ResultsSectionInfo", "ResultsSnapshot", "ResultsUpdate", "ResultsUpdates", "RoostError", "SaveReport",
        "Schema", "SchemaError", "SchemaProblem", "SchemaSource", "Scope", "ScopeDevice", "ScopeDigest", "ScopeID",
        "ScopeInvite", "ScopeRole", "SessionState", "StoreChange", "StoreCoordinator", "StoreID", "StoreKind",
        "SyncBounds", "SyncReport", "SyncStatus", "TextOptions", "TextPath", "TypedAggregate", "TypedObject",
        "TypedPredicate", "TypedSortDescriptor", "TypedTerm", "TypedUpdate", "UndoHistory", "UndoReport",
        "UnknownFields", "UnknownName", "UnknownProperty", "Value",
    ]

    /// Modules, whose names qualify types.
    private static let modules: Set<String> = [
        "Objects", "Predicates", "Roost", "RoostModel",
    ]

    /// Types inside generated types.
    private static let members: Set<String> = [
        "Fields", "Mismatch", "Operand",
    ]
}

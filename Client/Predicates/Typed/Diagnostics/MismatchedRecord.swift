/// The type of the records that a to-one relationship leads to, for the compiler's message.
@_documentation(visibility: internal)
public enum MismatchedRecord {}

@available(*, unavailable, message: "The value of a relationship is an object, its ObjectID, or a RecordID.")
extension MismatchedRecord: MismatchedOperand {}

/// An attribute where a condition is expected.
@_documentation(visibility: internal)
public protocol AttributeAlone {}

@available(*, unavailable, message: "An attribute alone is no condition. Compare it, as in \\.paid == true.")
extension FieldPath: AttributeAlone {}

/// Wider types: a later version of a schema may give an attribute a type that contains every value of the earlier type.
///
/// Records of both versions exist in one scope, so that each value needs one form, independent of the writer's version. A
/// value of the narrow type is sent in the narrow form.
extension Attribute {
    /// The whole numbers that a double holds exactly.
    package static let wholeDoubles: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

    /// Whether every value of the narrow type is a value of the wide type, in the same form. Such a change needs no
    /// declaration.
    static func isOfSameForm(_ narrow: Kind, in wide: Kind) -> Bool {
        switch (narrow, wide) {
        case (.date, .string), (.json, .string), (.uuid, .data), (.timestamp, .integer): true
        default: false
        }
    }

    /// Whether values of the narrow type become values of the wide type by a change of form, which ``widens`` declares.
    static func isWidening(_ narrow: Kind, to wide: Kind) -> Bool {
        switch (narrow, wide) {
        case (.boolean, .integer), (.integer, .double): true
        default: false
        }
    }

    /// Returns a value in the form in which it is sent: the narrow type's, if that has the value.
    package func narrowed(_ value: Value) -> Value {
        switch (widens, value) {
        case (.boolean, .integer(0)): .boolean(false)
        case (.boolean, .integer(1)): .boolean(true)
        case (.integer, .double(let number)):
            if let whole = Int64(exactly: number), Self.wholeDoubles.contains(whole), whole != 0 || number.sign == .plus
            {
                .integer(whole)
            } else {
                value
            }
        default: value
        }
    }

    /// Returns the value of this attribute's type for a value that was sent in the narrow form.
    package func widened(_ value: Value) -> Value {
        switch (widens, value) {
        case (.boolean, .boolean(let flag)): .integer(flag ? 1 : 0)
        case (.integer, .integer(let number)) where Self.wholeDoubles.contains(number): .double(Double(number))
        default: value
        }
    }
}

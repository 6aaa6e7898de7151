/// Types that grew: a later version of a schema may give an attribute a type that holds every value of the earlier one.
///
/// Records of both versions meet in one scope, so that each value has one form whoever writes it: a value that the narrow type holds
/// travels in the narrow form.
extension Attribute {
    /// The whole numbers that a double holds exactly.
    package static let wholeDoubles: ClosedRange<Int64> = -(1 << 53)...(1 << 53)

    /// Types whose values have the form of another type's and are all of it: nothing has to be said of them.
    static func isOfSameForm(_ narrow: Kind, in wide: Kind) -> Bool {
        switch (narrow, wide) {
        case (.date, .string), (.json, .string), (.uuid, .data), (.timestamp, .integer): true
        default: false
        }
    }

    /// Types whose values become those of another type by a change of form, which ``widens`` declares.
    static func isWidening(_ narrow: Kind, to wide: Kind) -> Bool {
        switch (narrow, wide) {
        case (.boolean, .integer), (.integer, .double): true
        default: false
        }
    }

    /// The form in which a value travels: the narrow type's where that has it.
    package func narrowed(_ value: Value) -> Value {
        switch (widens, value) {
        case (.boolean, .integer(0)): .boolean(false)
        case (.boolean, .integer(1)): .boolean(true)
        case (.integer, .real(let number)):
            if let whole = Int64(exactly: number), Self.wholeDoubles.contains(whole), whole != 0 || number.sign == .plus
            {
                .integer(whole)
            } else {
                value
            }
        default: value
        }
    }

    /// The value of this attribute's type that travelled in the narrow form.
    package func widened(_ value: Value) -> Value {
        switch (widens, value) {
        case (.boolean, .boolean(let flag)): .integer(flag ? 1 : 0)
        case (.integer, .integer(let number)) where Self.wholeDoubles.contains(number): .real(Double(number))
        default: value
        }
    }
}

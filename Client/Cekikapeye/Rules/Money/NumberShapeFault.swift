/// The reason why a text does not have the form of a number.
enum NumberShapeFault: Error, Hashable {
    case unexpected(Character)
    case marksMisplaced
}

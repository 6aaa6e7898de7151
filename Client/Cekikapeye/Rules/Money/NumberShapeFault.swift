/// Why a text has not the shape of a number.
enum NumberShapeFault: Error, Hashable {
    case unexpected(Character)
    case marksMisplaced
}

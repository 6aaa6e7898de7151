/// A set for membership tests of many elements, most of which it does not contain.
struct SoughtElements<Element: Hashable> {
    /// Maximum number of elements up to which comparing one by one costs less than hashing the element tested.
    private static var fewMax: Int { 16 }

    private let all: Set<Element>
    private let few: [Element]

    init(_ elements: Set<Element>) {
        all = elements
        few = elements.count <= Self.fewMax ? Array(elements) : []
    }

    func contains(_ element: Element) -> Bool {
        guard all.count <= Self.fewMax else { return all.contains(element) }
        for candidate in few where candidate == element { return true }
        return false
    }
}

/// A set that is asked about many elements, most of which it does not hold.
struct SoughtElements<Element: Hashable> {
    /// Up to here, comparing with one after the other costs less than a hash of the element asked about.
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

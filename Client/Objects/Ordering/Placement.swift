/// The keys that let an object stand at a place of a list.
package struct Placement: Equatable {
    /// The object's own key.
    package var key: String
    /// New keys of others, by their place in the list without the object; mostly none.
    package var others: [Int: String] = [:]

    /// Others get a new key only where there is no room otherwise: behind the place, those that have the same key as the object before
    /// it, for devices apart have given the same one; on both sides, those whose text is no key; and before the place, those that have
    /// none yet, for they would come behind all that have one. What has none behind the place goes on having none.
    ///
    /// - Parameters:
    ///   - index: How many of the others come before it.
    ///   - keys: The positions of the others, in their order: those without one last.
    package init(at index: Int, among keys: [String?]) {
        func key(_ place: Int) -> PositionKey? { keys[place].flatMap { PositionKey($0) } }
        var low = index - 1
        while low >= 0, key(low) == nil { low -= 1 }
        let lowest = low >= 0 ? keys[low] : nil
        func isAbove(_ text: String) -> Bool { lowest?.utf8.lexicographicallyPrecedes(text.utf8) ?? true }
        var high = index
        while high < keys.count, let text = keys[high], key(high) == nil || !isAbove(text) { high += 1 }
        let end = high < keys.count ? key(high) : nil
        var last = low >= 0 ? key(low) : nil
        var texts: [String] = []
        for _ in low..<high {
            let next = PositionKey.between(last, end)
            texts.append(next.text)
            last = next
        }
        let before = index - low - 1
        self.key = texts[before]
        for place in low + 1..<high { others[place] = texts[place < index ? place - low - 1 : place - low] }
    }
}

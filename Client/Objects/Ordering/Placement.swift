/// The position keys that place an object at an index of a list.
package struct Placement: Equatable {
    /// The object's own key.
    package var key: String
    /// New keys of other objects, by their index in the list without the object; mostly none.
    package var others: [Int: String] = [:]

    /// Chooses the keys for an index. Other objects get a new key only where there is no room otherwise:
    ///
    /// - After the index, objects whose key equals the key of the object before the index, because replicas that were offline
    ///   have assigned equal keys.
    /// - On both sides, objects whose text is not a valid key.
    /// - Before the index, objects without a key, because they would come after all objects with one.
    ///
    /// Objects without a key after the index stay without one.
    ///
    /// - Parameters:
    ///   - index: The number of other objects before the object.
    ///   - keys: The positions of the other objects, in order; objects without a position come last.
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

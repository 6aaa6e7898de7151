/// Edits of a list at many indices in one pass.
enum ListEdit {
    /// Returns the list without the elements at ascending indices; `nil` where the indices do not ascend or exceed the list.
    static func removing<Element>(_ numbers: [Int], from list: [Element]) -> [Element]? {
        guard !numbers.isEmpty else { return list }
        var result: [Element] = []
        result.reserveCapacity(max(0, list.count - numbers.count))
        var next = 0
        for number in numbers {
            guard number >= next, number < list.count else { return nil }
            result.append(contentsOf: list[next..<number])
            next = number + 1
        }
        result.append(contentsOf: list[next...])
        return result
    }

    /// Returns the list with each element inserted at its index, which counts in the resulting list; `nil` where the indices do
    /// not ascend or lie beyond the end.
    static func inserting<Element>(_ elements: [(Int, Element)], into list: [Element]) -> [Element]? {
        guard !elements.isEmpty else { return list }
        var result: [Element] = []
        result.reserveCapacity(list.count + elements.count)
        var next = 0
        for (number, element) in elements {
            let end = next + number - result.count
            guard end >= next, end <= list.count else { return nil }
            result.append(contentsOf: list[next..<end])
            result.append(element)
            next = end
        }
        result.append(contentsOf: list[next...])
        return result
    }

    /// Merges sorted elements into a sorted list, each after the elements that precede it. The cost is one binary search for each
    /// element, and one copy of the list.
    static func merging<Element>(
        _ elements: [Element], into list: [Element], by precedes: (Element, Element) throws -> Bool
    ) rethrows -> [Element] {
        guard !elements.isEmpty else { return list }
        var result: [Element] = []
        result.reserveCapacity(list.count + elements.count)
        var next = 0
        for element in elements {
            var (low, high) = (next, list.count)
            while low < high {
                let middle = (low + high) / 2
                if try precedes(list[middle], element) { low = middle + 1 } else { high = middle }
            }
            result.append(contentsOf: list[next..<low])
            result.append(element)
            next = low
        }
        result.append(contentsOf: list[next...])
        return result
    }
}

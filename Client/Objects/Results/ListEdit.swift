/// Edits of a list at many places in one pass.
enum ListEdit {
    /// The list without the elements at these ascending numbers; nil if they do not ascend or are not in the list.
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

    /// The list with each element put in at its number, which counts in the list that comes of it; nil if the numbers
    /// do not ascend or lie beyond the end.
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

    /// A sorted list with sorted elements put in where they belong, each after those that precede it: as many binary
    /// searches as there are elements, and one copy of the list.
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

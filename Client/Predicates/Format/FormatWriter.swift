internal import RoostModel

/// Writes the canonical text of a predicate, which is parsed to an equal predicate.
enum FormatWriter {
    static func text(of node: PredicateNode) -> String {
        switch node {
        case .constant(let truth): truth ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .comparison(let comparison): text(of: comparison)
        case .and(let nodes): nodes.map(member).joined(separator: " AND ")
        case .or(let nodes): nodes.map(member).joined(separator: " OR ")
        case .not(let node): "NOT \(member(node))"
        }
    }

    private static func member(_ node: PredicateNode) -> String {
        switch node {
        case .and, .or: "(\(text(of: node)))"
        default: text(of: node)
        }
    }

    private static func text(of comparison: PredicateComparison) -> String {
        var letters = comparison.options.contains(.caseInsensitive) ? "c" : ""
        if comparison.options.contains(.diacriticInsensitive) { letters += "d" }
        if comparison.options.contains(.widthInsensitive) { letters += "w" }
        let modifier = comparison.modifier == .direct ? "" : comparison.modifier.rawValue + " "
        let options = letters.isEmpty ? "" : "[\(letters)]"
        return "\(modifier)\(text(of: comparison.left)) \(comparison.operation.rawValue)\(options) "
            + text(of: comparison.right)
    }

    // MARK: Terms

    static func text(of term: PredicateTerm) -> String {
        switch term {
        case .path(let path): return text(of: path)
        case .constant(let value): return text(of: value)
        case .list(let terms): return "{\(terms.map(text(of:)).joined(separator: ", "))}"
        case .count(let path): return "\(text(of: path)).@count"
        case .aggregate(let function, let path, let names):
            return "\(text(of: path)).@\(function.rawValue)." + names.map(name).joined(separator: ".")
        case .subquery(let path, let variable, let node):
            return "SUBQUERY(\(text(of: path)), $\(variable), \(text(of: node))).@count"
        case .arithmetic(let operation, let left, let right):
            // A right operand of equal precedence needs parentheses: a - (b - c).
            let rightText = operand(right, tighterThan: operation.tightness + 1)
            return "\(operand(left, tighterThan: operation.tightness)) \(operation.rawValue) \(rightText)"
        case .text(let function, let term): return "\(function.rawValue):(\(text(of: term)))"
        }
    }

    private static func operand(_ term: PredicateTerm, tighterThan tightness: Int) -> String {
        guard case .arithmetic(let operation, _, _) = term, operation.tightness < tightness else {
            return text(of: term)
        }
        return "(\(text(of: term)))"
    }

    static func text(of path: PredicatePath) -> String {
        let names = path.names.enumerated().map { index, name in
            self.name(name) + (path.elements[index].map { "[\($0.rawValue)]" } ?? "")
        }
        switch path.root {
        case .record: return names.isEmpty ? "SELF" : names.joined(separator: ".")
        case .variable(let variable): return (["$\(variable)"] + names).joined(separator: ".")
        }
    }

    private static func name(_ name: String) -> String {
        FormatKeyword(rawValue: name.lowercased()) == nil ? name : "#\(name)"
    }

    // MARK: Values

    static func text(of value: PredicateValue) -> String {
        switch value {
        case .null: "nil"
        case .string(let text): quoted(text)
        case .integer(let number): String(number)
        case .double(let number): text(of: number)
        case .boolean(let flag): flag ? "true" : "false"
        case .data(let bytes): "CAST(\"\(Base64.encode(bytes))\", \"NSData\")"
        case .timestamp(let milliseconds): text(ofInstant: milliseconds)
        case .identifier(let id): "CAST(\"\(id)\", \"UUID\")"
        case .list(let values): "{\(values.map(text(of:)).joined(separator: ", "))}"
        }
    }

    private static func text(of number: Double) -> String {
        if number.isNaN { return "nil" }
        return number.isFinite ? "\(number)" : "CAST(\"\(number)\", \"double\")"
    }

    private static func text(ofInstant milliseconds: Int64) -> String {
        let text = CalendarText.utcText(milliseconds: milliseconds)
        // Years beyond 9999 and before 1 have no unambiguous text.
        let isReadable = CalendarText.milliseconds(ofUTC: text) == milliseconds
        return isReadable ? "CAST(\"\(text)\", \"timestamp\")" : "CAST(\(milliseconds), \"timestamp\")"
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\r": result += "\\r"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension PredicateTerm.ArithmeticOperator {
    /// The operator's precedence.
    fileprivate var tightness: Int {
        switch self {
        case .add, .subtract: 1
        case .multiply, .divide: 2
        }
    }
}

/// A number as written: runs of digits and the marks between them, not yet interpreted.
struct NumberShape {
    /// A mark between two runs of digits.
    enum Mark: Hashable {
        case space, apostrophe, point, comma

        init?(_ scalar: Unicode.Scalar) {
            switch scalar {
            case " ", "\u{00A0}", "\u{202F}", "\u{2009}": self = .space
            case "'", "\u{2019}": self = .apostrophe
            case ".": self = .point
            case ",": self = .comma
            default: return nil
            }
        }

        var canMarkDecimals: Bool { self == .point || self == .comma }
    }

    /// The runs of digits, one more than there are marks. Only the first may be empty, as in ".50".
    private(set) var runs: [String] = [""]
    private(set) var marks: [Mark] = []

    /// Parses digits and marks.
    init(_ scalars: some Sequence<Unicode.Scalar>) throws(NumberShapeFault) {
        for scalar in scalars {
            if ("0"..."9").contains(scalar) {
                runs[runs.count - 1].unicodeScalars.append(scalar)
            } else if let mark = Mark(scalar) {
                let startsWithDecimals = marks.isEmpty && mark.canMarkDecimals
                guard !runs[runs.count - 1].isEmpty || startsWithDecimals else { throw .marksMisplaced }
                marks.append(mark)
                runs.append("")
            } else {
                throw .unexpected(Character(scalar))
            }
        }
        guard runs.last?.isEmpty == false else { throw .marksMisplaced }
    }

    /// Returns the digits before and after the decimal mark.
    ///
    /// - Parameter decimalMark: The mark to read as decimal; `nil` if every mark separates thousands.
    /// - Returns: `nil` if the other marks do not uniformly separate groups of three.
    func digits(decimalMark: Mark?) -> DecimalDigits? {
        var groups = runs
        var separators = marks
        var fraction = ""
        if let decimalMark, separators.last == decimalMark {
            separators.removeLast()
            fraction = groups.removeLast()
        }
        guard Set(separators).count <= 1, decimalMark.map({ !separators.contains($0) }) ?? true else { return nil }
        if !separators.isEmpty {
            guard let first = groups.first, (1...3).contains(first.count) else { return nil }
            guard groups.dropFirst().allSatisfy({ $0.count == 3 }) else { return nil }
        }
        return DecimalDigits(whole: groups.joined(), fraction: fraction)
    }

    /// Whether the only mark could separate thousands or precede decimals: "1.234", but not "0.234" or "1234.567".
    var isAmbiguous: Bool {
        guard marks.count == 1, marks[0].canMarkDecimals else { return false }
        return runs[1].count == 3 && (1...3).contains(runs[0].count) && !runs[0].hasPrefix("0")
    }

    /// The mark that is the decimal one by the form of the number; `nil` if there is none or the number is ambiguous.
    var evidentDecimalMark: Mark? {
        guard !isAmbiguous, let last = marks.last, last.canMarkDecimals else { return nil }
        return marks.count(where: { $0 == last }) == 1 ? last : nil
    }
}

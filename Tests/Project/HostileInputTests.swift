import Foundation
import Testing

/// Docs/hostile-inputs.md names existing tests for every item of its list.
@Suite struct HostileInputTests {
    private static let document = ProjectFiles.read("Docs/hostile-inputs.md")

    /// The items of the list, each joined into one line.
    private static let items: [String] = document.lines.reduce(into: []) { items, line in
        if line.hasPrefix("- ") {
            items.append(String(line))
        } else if line.hasPrefix("  "), let last = items.popLast() {
            items.append(last + " " + line.trimmingCharacters(in: .whitespaces))
        }
    }

    @Test func everyNumberHasAnItem() {
        var numbers: [Int] = []
        for item in Self.items {
            for match in item.prefix(40).matches(of: /H(\d\d)(?:–H(\d\d))?/) {
                guard let first = Int(match.output.1) else { continue }
                numbers += first...(match.output.2.flatMap { Int($0) } ?? first)
            }
        }
        #expect(numbers.sorted() == Array(1...84))
    }

    /// A test that was renamed or removed is found here.
    @Test func everyTestThatIsNamedExists() {
        var suites: [String: [ProjectFiles.File]] = [:]
        for file in ProjectFiles.swift where file.path.hasPrefix("Tests/") {
            // Declarations of suites are not indented.
            for line in file.lines where line.first.map({ !" /}".contains($0) }) ?? false {
                guard let match = line.firstMatch(of: /\b(?:struct|class|extension) ([A-Z][A-Za-z]*Tests)\b/) else {
                    continue
                }
                suites[String(match.output.1), default: []].append(file)
            }
        }
        for item in Self.items {
            let names = item.matches(of: /`([A-Z][A-Za-z]*Tests)(?:\.([A-Za-z]+))?`/)
            #expect(!names.isEmpty || item.contains("does not apply"), "\(item)")
            for name in names {
                let (suite, test) = (String(name.output.1), name.output.2.map { String($0) })
                let files = suites[suite] ?? []
                #expect(!files.isEmpty, "no suite \(suite): \(item)")
                guard let test else { continue }
                #expect(
                    files.contains { file in file.lines.contains { $0.contains("func \(test)(") } },
                    "no test \(suite).\(test)")
            }
        }
    }
}

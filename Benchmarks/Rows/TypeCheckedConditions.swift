import BenchmarkData
import Foundation

/// The time that the compiler takes to type-check conditions of generated classes, also such as do not compile.
struct TypeCheckedConditions {
    static let row = Row(
        names: ["conditions"],
        help: """
            swiftc type-checks a condition of one term, and conditions of seven terms: as they are meant, with an Int, with a
            misspelt name, and with a value of another type. CPU seconds beyond those of the file without its condition. The bar
            is a blink.
            """, run: { try await TypeCheckedConditions(context: $0).run() })

    /// A line of the output of `scripts/conditions --measure`.
    private struct Measured: Decodable {
        var measure: String
        var seconds: [Double]
        var scopes: Int
    }

    private static let works = [
        "one": "a condition of one term", "seven": "a condition of seven terms", "seven-int": "one of them with an Int",
        "seven-misspelt": "one of them with a misspelt name",
        "seven-mismatched": "one of them with a value of another type",
    ]

    let context: Context

    func run() async throws -> [Figure] {
        // The script is in the repository, whose top is the current folder; the modules are those of this program's build.
        let modules = context.program.deletingLastPathComponent().appending(path: "Modules").path
        let child = try ChildProcess(
            URL(fileURLWithPath: "scripts/conditions"), ["--measure"],
            environment: ["ROOST_MODULES": modules, "PYTHONDONTWRITEBYTECODE": "1"])
        defer { child.stop() }
        var figures: [Figure] = []
        while let line = await child.nextLine() {
            let measured = try JSONDecoder().decode(Measured.self, from: Data(line.utf8))
            figures.append(
                Figure(
                    row: "conditions", measure: measured.measure,
                    work: Self.works[measured.measure] ?? measured.measure,
                    durability: nil, samples: Samples(measured.seconds.map { $0 * 1000 }), unit: "ms",
                    bar: .atMost(500),
                    detail: "\(measured.scopes) scopes of the type checker"))
        }
        guard figures.count == Self.works.count else {
            throw BenchmarkError("scripts/conditions ended too early. Run it by itself to see why.")
        }
        return figures
    }
}

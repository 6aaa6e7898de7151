/// The text of a failure: the violated promise, and a command that reproduces it.
package struct Failure: Hashable, Sendable {
    package let text: String

    package init(_ violation: Violation, _ smallest: SeedRun) {
        let script = smallest.script
        let places = script.places.map { "\($0)" }.joined(separator: ",")
        let faults = script.conditions.faults.map { " --faults \($0.map(\.rawValue).joined(separator: ","))" } ?? ""
        let foreign = script.conditions.choice.flags
        var lines = [
            "seed \(script.conditions.seed): \(violation)",
            "  replay: scripts/simulate --seed \(script.conditions.seed)\(faults)\(foreign) --steps "
                + "\(places.isEmpty ? "none" : places) --trace",
        ]
        lines += zip(script.places, script.steps).map { "  step \($0): \($1)" }
        text = lines.joined(separator: "\n")
    }
}

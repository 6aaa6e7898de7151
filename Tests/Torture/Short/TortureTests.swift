import Testing
import Torture

/// The short form of every part of the torture. `scripts/torture` runs the full one.
@Suite(.serialized) struct TortureTests {
    @Test(arguments: Part.allCases.filter { $0 != .upgrade })
    func programsKeepTheirPromises(_ part: Part) throws {
        let report = try part.run(.short, seed: 1)
        #expect(report.isPassed, "\(MarkdownReport.text([report], heading: []))")
    }

    @Test(.enabled(if: UpgradePrograms.found() != nil, "scripts/earlier-programs has not built the earlier programs"))
    func filesOfEarlierProgramsAreUpgraded() throws {
        let report = try Part.upgrade.run(.short, seed: 1)
        #expect(report.isPassed, "\(MarkdownReport.text([report], heading: []))")
    }
}

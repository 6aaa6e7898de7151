import Testing

@testable import Session

/// Every cell of `SessionTable.md`, including the cells that trap.
@Suite struct SessionTableTests {
    static let push = (try? SessionTable(section: "1. Push lane").cells) ?? []
    static let pull = (try? SessionTable(section: "2. Pull lane").cells) ?? []

    @Test func tablesNameEveryEventAndHaveNoEmptyCell() {
        #expect(Self.push.count == 17 * PushLaneSamples.events.count)
        #expect(Self.pull.count == 17 * PullLaneSamples.events.count)
        #expect(!(Self.push + Self.pull).contains { $0.expected.isEmpty })
    }

    @Test(arguments: push.filter { $0.expected != "trap" })
    func pushLaneDoesAsItsCellSays(cell: SessionTable.Cell) throws {
        var lane = try #require(PushLaneSamples.lane(for: cell))
        let event = try #require(PushLaneSamples.events[cell.event])
        #expect(PushLaneSamples.name(lane.state) == cell.state)
        let before = lane
        let action = event(&lane)
        let isUnchanged = lane == before && action == nil
        #expect((isUnchanged ? "=" : cellText(PushLaneSamples.name(lane.state), action)) == cell.expected)
    }

    @Test(arguments: pull.filter { $0.expected != "trap" })
    func pullLaneDoesAsItsCellSays(cell: SessionTable.Cell) throws {
        var lane = try #require(PullLaneSamples.lane(for: cell))
        let event = try #require(PullLaneSamples.events[cell.event])
        #expect(PullLaneSamples.name(lane.state) == cell.state)
        let before = lane
        let action = event(&lane)
        let isUnchanged = lane == before && action == nil
        #expect((isUnchanged ? "=" : cellText(PullLaneSamples.name(lane.state), action)) == cell.expected)
    }

    @Test(arguments: push.filter { $0.expected == "trap" })
    func pushLaneTrapsAsItsCellSays(cell: SessionTable.Cell) async {
        await #expect(processExitsWith: .failure) { [cell] in
            guard var lane = PushLaneSamples.lane(for: cell), let event = PushLaneSamples.events[cell.event] else {
                return
            }
            _ = event(&lane)
        }
    }

    @Test(arguments: pull.filter { $0.expected == "trap" })
    func pullLaneTrapsAsItsCellSays(cell: SessionTable.Cell) async {
        await #expect(processExitsWith: .failure) { [cell] in
            guard var lane = PullLaneSamples.lane(for: cell), let event = PullLaneSamples.events[cell.event] else {
                return
            }
            _ = event(&lane)
        }
    }

    @Test func localWritesSealThemselvesWhereBothLanesAdmitIt() throws {
        let rows = try SessionTable(section: "7. Local writes").cells
        let admitted = Dictionary(rows.map { ($0.event, $0.expected) }) { $1 }
        for state in Set(Self.push.map(\.state)) {
            let lane = try #require(PushLaneSamples.lane(for: .init(event: "", state: state, expected: "")))
            #expect(lane.admitsSealedWrites == (admitted["push"] == state))
        }
        let pull = try #require(admitted["pull"]).split(separator: ", ").map(String.init)
        for state in Set(Self.pull.map(\.state)) {
            let lane = try #require(PullLaneSamples.lane(for: .init(event: "", state: state, expected: "")))
            #expect(lane.admitsSealedWrites == pull.contains(state))
        }
    }

    private func cellText(_ state: String, _ action: SyncAction?) -> String {
        action.map { "\(state) · \($0.name)" } ?? state
    }
}

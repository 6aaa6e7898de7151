import Objects
import Replica
import RoostModel
import Testing

/// Undo and redo while others write: another context, plain SQL, and pages of another device.
@Suite struct UndoAmongOthersTests {
    /// Whether the context applies changes of other writers before it continues.
    enum Looking: CaseIterable { case always, sometimes, never }

    /// An undo or redo leaves a property alone if the store no longer has the value that the undone edit wrote, and its report
    /// includes that property.
    @Test(arguments: 0..<8, Looking.allCases) func nothingOfOthersIsUndone(_ seed: UInt64, _ looking: Looking) throws {
        var play = try UndoPlay(seed: seed)
        for step in 0..<30 {
            switch play.number(8) {
            case 0, 1, 2: try play.edit()
            case 3, 4:
                try play.others()
                if looking == .always || looking == .sometimes && play.number(2) == 0 { try play.context.refresh() }
            case 5, 6: try play.putBack(.undo, "seed \(seed), \(looking), step \(step): undo")
            default: try play.putBack(.redo, "seed \(seed), \(looking), step \(step): redo")
            }
        }
        try play.context.save()
        try play.context.refresh()
        let seen = try RandomEdits(seed: 0, play.context).contents()
        #expect(try RandomEdits(seed: 0, play.library.context()).contents() == seen)
    }
}

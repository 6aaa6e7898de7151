import Roost

/// The story of the example: a list, a step that changes it, a filter, and the undo of the step.
enum SpendingStory {
    /// Plays the story in a store in memory. A replica would give the same text.
    static func text() throws -> String {
        let container = try ObjectContainer(inMemory: SpendingsSchema.self)
        return try play(SpendingGroup(container.coordinator)).joined(separator: "\n")
    }

    private static func play(_ group: SpendingGroup) throws -> [String] {
        try group.spend(30_00, on: "Dinner", by: "Ana")
        try group.spend(12_50, on: "Taxi", by: "Ana")
        try group.spend(1200, "JPY", on: "Ramen", by: "Zoé")
        try group.spend(6_20, on: "Crème brûlée", by: "Élodie")
        try group.spend(3_500, "KWD", on: "Museum", by: "Élodie")
        let list = try SpendingList(in: group.context)
        var lines = try ["The list:"] + list.lines()

        try group.spend(51_00, on: "Fuel", by: "Bob")
        lines += try ["", "Bob pays the fuel:"] + list.changes()

        let filter = #"content CONTAINS[cd] "creme" OR amount >= 30_00"#
        lines += try ["", "Only \(filter):"] + SpendingList(in: group.context, filter: filter).lines()

        lines += try ["", "Undone: \(group.undo() ?? "nothing")"] + list.changes()
        lines += try ["", "The list again:"] + list.lines()
        return lines
    }
}

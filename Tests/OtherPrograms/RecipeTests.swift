import Foundation
import TestProcesses
import Testing

/// The recipes of Docs/other-programs.md and of the pages below it.
@Suite struct RecipeTests {
    /// The outcomes in the journals of Ana and Bob that a recipe causes on purpose. The journals of other recipes are empty.
    private static let outcomes: [String: [Set<String>]] = [
        "Values": [["refused"], []], "SQLModel, identifiers as text": [["hidden"], ["hidden"]],
        "SQLModel, identifiers of 16 bytes": [["hidden"], ["hidden"]],
    ]

    /// Each block succeeds and prints the page's output. Afterwards both devices hold the same records, without pending
    /// changes and without damage.
    @Test(arguments: Recipe.all) func runsAsItStands(_ recipe: Recipe) throws {
        try fact("runsAsItStands", recipe.name) {
            let devices = try TwoDevices(
                "", schema: Recipe.schema, tables: Recipe.tables, files: ["ana.roost", "bob.roost"],
                options: recipe.options)
            try Data(Recipe.schema.utf8).write(to: devices.stage.folder.appending(path: "trip.json"))
            try RecipeRunner(folder: devices.stage.folder).run(recipe)
            try devices.expectAgreement()
            let outcomes = Self.outcomes[recipe.name, default: [[], []]]
            for (device, expected) in zip([devices.first, devices.second], outcomes) {
                let output = try device.roost("check")
                #expect(output.status == 0, "\(output)")
                let journal = try device.journal()
                let found = Set(journal.matches(of: /"outcome":"(\w+)"/).map { String($0.output.1) })
                #expect(found == expected, "\(journal)")
            }
        }
    }

    /// The section that makes the server and the two devices works in an empty folder.
    @Test func devicesAreMadeAsThePageSays() throws {
        let recipe = try #require(Recipe.setUp)
        let folder = FileManager.default.temporaryDirectory.appending(path: "roost-recipe-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        defer { stopServer(in: folder) }
        try RecipeRunner(folder: folder).run(recipe)
        for name in ["ana.roost", "bob.roost"] {
            try Device(path: folder.appending(path: name).path).check("sync")
        }
    }

    private func stopServer(in folder: URL) {
        let text = try? String(contentsOf: folder.appending(path: "server.pid"), encoding: .utf8)
        guard let identifier = Int32((text ?? "").trimmingCharacters(in: .whitespacesAndNewlines)) else { return }
        kill(identifier, SIGTERM)
    }

    @Test func eachPageHasRecipes() {
        for page in Recipe.pages {
            let recipes = Recipe.all.filter { $0.page == page }
            #expect(!recipes.isEmpty, "\(page)")
        }
        let names = Recipe.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Recipe.schema.contains("\"name\": \"trip\""))
    }

    /// A subsection begins with the blocks of its section, and the first line of a block may name a file.
    @Test func sectionsAreParsed() {
        let page = """
            ## First

            ```sh
            one
            ```

            ### Second

            ```python
            # models/a.py
            two = 2
            ```

            ## Third

            ```text
            three
            ```
            """
        let recipes = Recipe.recipes(of: page, page: "page.md")
        #expect(recipes.map(\.name) == ["Second", "Third"])
        #expect(recipes.map { $0.blocks.map(\.language) } == [["sh", "python"], ["text"]])
        #expect(recipes.map { $0.blocks.map(\.fileName) } == [[nil, "models/a.py"], [nil]])
        #expect(recipes.first?.blocks.map(\.line) == [4, 10])
        #expect(recipes.last?.blocks.map(\.text) == ["three\n"])
    }
}

internal import CekikapeyeApp
internal import CekikapeyeRules
internal import Foundation
internal import Replica
internal import RoostModel

/// What a command works with.
struct CommandContext {
    let options: CommonOptions
    let environment: ProcessEnvironment
    let language: Language
    let screen: Screen
    let settings: SettingsFile

    init(_ options: CommonOptions, environment: ProcessEnvironment) {
        self.options = options
        self.environment = environment
        language = options.language?.language ?? LocaleName.messages(environment.variables)
        let isPretty = environment.outputIsTerminal && !options.json
        screen = Screen(
            hasColour: isPretty && environment.variable("NO_COLOR") == nil && environment.variable("TERM") != "dumb",
            money: isPretty ? .pretty(language) : .plain)
        settings = SettingsFile(environment)
    }

    var surroundings: Surroundings { environment.surroundings(language) }

    /// Whether the program may ask a question.
    var canAsk: Bool { environment.inputIsTerminal && environment.outputIsTerminal && !options.json }

    /// The text of the language in use.
    func text(_ english: String, fr french: String) -> String { language.pick(english, fr: french) }

    /// Opens the group that the options, the environment or the folder names, and remembers it as the last used.
    func openBook() throws -> ExpenseBook {
        let path = try GroupLocator(environment, settings).path(options.group)
        return try book(Replica(opening: path))
    }

    /// Works on an open replica, and remembers it as the last used.
    ///
    /// - Throws: ``ReplicaError`` with the code `notAReplica` where it is not a group's.
    func book(_ replica: Replica) throws -> ExpenseBook {
        try remembering(ExpenseBook(replica: replica, surroundings: surroundings))
    }

    /// Remembers a book as the last used.
    func remembering(_ book: ExpenseBook) -> ExpenseBook {
        remember { $0.lastGroup = absolute(book.replica.path) }
        return book
    }

    /// Who uses this device in a group.
    func me(in book: ExpenseBook) -> RecordID? {
        settings.read().people[absolute(book.replica.path)].flatMap { RecordID($0) }
    }

    /// Remembers who uses this device in a group.
    func setMe(_ person: RecordID, in book: ExpenseBook) {
        remember { $0.people[absolute(book.replica.path)] = person.description }
    }

    /// Writes one JSON document, or else what `body` writes for people.
    func show(_ json: @autoclosure () -> JSONValue, _ body: () -> Void) {
        if options.json { screen.json(json()) } else { body() }
    }

    func absolute(_ path: String) -> String {
        URL(filePath: path, relativeTo: URL(filePath: environment.currentFolder, directoryHint: .isDirectory))
            .standardizedFileURL.path(percentEncoded: false)
    }

    private func remember(_ change: (inout Settings) -> Void) {
        let before = settings.read()
        var after = before
        change(&after)
        guard after != before else { return }
        do { try settings.write(after) } catch {
            screen.warn(
                text(
                    "Cannot remember this group in \"\(settings.path)\": \(error.localizedDescription).",
                    fr: "Impossible de retenir ce groupe dans « \(settings.path) » : \(error.localizedDescription)."))
        }
    }
}

internal import CekikapeyeApp
internal import CekikapeyeRules
internal import Foundation
internal import Replica
internal import RoostModel

/// The options, environment and output with which a command works.
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

    /// Whether the program may ask the user.
    var canAsk: Bool { environment.inputIsTerminal && environment.outputIsTerminal && !options.json }

    /// Returns the text in the language in use.
    func text(_ english: String, fr french: String) -> String { language.pick(english, fr: french) }

    /// Opens the group that the options, the environment or the folder determine, and records it as the last used.
    func openBook() throws -> ExpenseBook {
        let path = try GroupLocator(environment, settings).path(options.group)
        let replica: Replica
        do { replica = try Replica(opening: path) } catch let error as ReplicaError where error.code == .notAReplica {
            guard !ExpenseBook.isUnfinished(at: path) else { throw BookError.joinInterrupted(path: path) }
            throw CommandError.notAGroup(path)
        }
        let book = try book(replica)
        try book.checkIsMade()
        return book
    }

    /// Opens the book in an open replica, and records it as the last used.
    ///
    /// - Throws: ``ReplicaError`` with the code `notAReplica` if the replica does not belong to a group.
    func book(_ replica: Replica) throws -> ExpenseBook {
        try remembering(ExpenseBook(replica: replica, surroundings: surroundings))
    }

    /// Records a book as the last used.
    func remembering(_ book: ExpenseBook) -> ExpenseBook {
        remember { $0.lastGroup = absolute(book.replica.path) }
        return book
    }

    /// Returns the person who uses this device in a group.
    ///
    /// If the group's file was moved or renamed, the person is the one recorded for a file that no longer exists,
    /// provided that exactly one such person is in this group.
    func me(in book: ExpenseBook) -> RecordID? {
        let people = settings.read().people
        if let own = people[absolute(book.replica.path)] { return RecordID(own) }
        let gone = Set(people.filter { !FileManager.default.fileExists(atPath: $0.key) }.values)
        guard !gone.isEmpty, let members = try? book.roster().members else { return nil }
        let known = members.filter { gone.contains($0.id.description) }
        return known.count == 1 ? known[0].id : nil
    }

    /// Records the person who uses this device in a group.
    func setMe(_ person: RecordID, in book: ExpenseBook) {
        remember { $0.people[absolute(book.replica.path)] = person.description }
    }

    /// Returns the proposed payments that were last listed on this device; `nil` if none were.
    func shownProposals(of book: ExpenseBook) -> [String]? { settings.read().proposals[absolute(book.replica.path)] }

    /// Records the listed payments, whose positions are the numbers that a user may give later.
    func setShownProposals(_ proposals: [String], of book: ExpenseBook) {
        remember { $0.proposals[absolute(book.replica.path)] = proposals }
    }

    /// Opens the group like ``openBook()``, in order to change it.
    ///
    /// - Throws: ``BookError/viewer(path:)`` if the server would refuse the changes.
    func openToChange() throws -> ExpenseBook {
        let book = try openBook()
        try book.checkMayWrite()
        return book
    }

    /// Prints the result of a change: with `--json` one document that includes the group, else the output of `body`
    /// and the group's name. The name shows the user which group was changed.
    func showChange(of book: ExpenseBook, _ json: JSONValue, _ body: () -> Void) {
        let group = (try? book.group()) ?? nil
        guard !options.json else {
            guard case .object(let members) = json else { return screen.json(json) }
            let names = JSONValue.members(
                ("group", group.map { .string($0.name) } ?? .null), ("file", .string(absolute(book.replica.path))))
            return screen.json(
                .object(members + (names.members ?? []).filter { added in !members.contains { $0.name == added.name } })
            )
        }
        body()
        screen.line(Line(groupLine(of: book), .dim))
    }

    /// Returns a line with the group's name, and its file if that is in another folder.
    func groupLine(of book: ExpenseBook) -> String {
        let file = absolute(book.replica.path)
        let isHere = URL(filePath: file).deletingLastPathComponent().path(percentEncoded: false) == absolute(".")
        let name = (try? book.group()).flatMap { $0 }.map { Column.name($0.name) } ?? file
        return isHere
            ? text("Group: \(name)", fr: "Groupe : \(name)")
            : text("Group: \(name), in \(file)", fr: "Groupe : \(name), dans \(file)")
    }

    /// Prints the group above a result if it was chosen as the one used last, since the user may have meant another one.
    func showGroupIfGuessed(_ book: ExpenseBook) {
        guard GroupLocator(environment, settings).isGuess(options.group) else { return }
        screen.line(Line(groupLine(of: book), .dim))
    }

    /// Prints a JSON document with `--json`, else the output of `body`.
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
                    "Cannot remember this group in \"\(settings.path)\", which cannot be written. Name it with --group next time.",
                    fr:
                        "Impossible de retenir ce groupe dans « \(settings.path) », qui ne se laisse pas écrire. Indiquez-le avec --group."
                ))
        }
    }
}

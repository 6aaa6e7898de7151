package import CekikapeyeRules

extension BookError {
    /// What could not be done, why, and what to do next.
    package func message(in language: Language) -> String {
        switch self {
        case .unknownPerson, .ambiguousPerson, .nameTaken, .nobody, .payerNeeded: peopleMessage(language)
        case .unknownRecord, .ambiguousRecord, .badAssignment, .severalModes, .payersExceed, .payersNeeded, .noProposal:
            requestMessage(language)
        case .noGroup:
            language.pick(
                "Cannot read the group: the replica has none yet. Run \"cekikapeye sync\" and try again.",
                fr: "Impossible de lire le groupe : la copie n'en contient pas encore. Lancez « cekikapeye sync »."
            )
        case .blank:
            language.pick(
                "Cannot use a blank text: a name or a title is needed. Type one.",
                fr: "Texte vide refusé : il faut un nom ou un titre.")
        case .tooLong(let limit):
            language.pick(
                "Cannot use the text: it is longer than \(limit) characters. Shorten it.",
                fr: "Texte refusé : plus de \(limit) caractères. Raccourcissez-le.")
        case .date(let error): error.description
        case .amount(let error): error.description
        case .money(let error): error.description
        case .split(let error): error.description
        case .expense(let error): error.description
        case .settlement(let error): error.description
        case .file(let error): error.description
        case .malformedSpending(let id, let reason):
            language.pick(
                "Cannot edit spending \(id) in part: \(reason) Give amount, --by and --for together.",
                fr: "Impossible de modifier la dépense \(id) en partie : \(reason) Donnez montant, --by et --for.")
        case .rows(let problems): rowsMessage(problems, language)
        case .balancesDiffer(let code):
            language.pick(
                "Cannot import: the balances in \(code) would differ from the file. Nothing was imported; report this.",
                fr: "Import refusé : les soldes en \(code) différeraient du fichier. Rien n'a été importé.")
        }
    }

    private func peopleMessage(_ language: Language) -> String {
        switch self {
        case .unknownPerson(let name, let candidates):
            language.pick(
                "Cannot find \"\(name)\": nobody here has a name that begins so. There are \(Self.list(candidates)).",
                fr: "« \(name) » est inconnu : personne n'a un nom qui commence ainsi. Il y a \(Self.list(candidates))."
            )
        case .ambiguousPerson(let name, let candidates):
            language.pick(
                "Cannot tell who \"\(name)\" is: it fits \(Self.list(candidates)). Type more of the name.",
                fr: "« \(name) » est ambigu : \(Self.list(candidates)). Tapez davantage du nom.")
        case .nameTaken(let name):
            language.pick(
                "Cannot use the name \"\(name)\": somebody has it already. Add a letter or a family name.",
                fr: "Le nom « \(name) » est déjà pris. Ajoutez une lettre ou un nom de famille.")
        case .payerNeeded(let candidates):
            language.pick(
                "Cannot tell who paid. Say --by NAME, or \"cekikapeye me NAME\" once. There are \(Self.list(candidates)).",
                fr: "Qui a payé ? Ajoutez --by NOM, ou « cekikapeye me NOM » une fois. Il y a \(Self.list(candidates))."
            )
        default:
            language.pick(
                "Cannot share an expense: the group has nobody who is active. Run \"cekikapeye person add NAME\".",
                fr: "Personne d'actif dans le groupe. Lancez « cekikapeye person add NOM ».")
        }
    }

    private func requestMessage(_ language: Language) -> String {
        switch self {
        case .unknownRecord(let text):
            language.pick(
                "Cannot find \"\(text)\": no record has that identifier. \"cekikapeye list\" shows them.",
                fr: "« \(text) » est introuvable : aucun enregistrement. « cekikapeye list » les montre.")
        case .ambiguousRecord(let text, let candidates):
            language.pick(
                "Cannot tell which record \"\(text)\" is: it fits \(Self.list(candidates)). Type more of it.",
                fr: "« \(text) » est ambigu : \(Self.list(candidates)). Tapez davantage.")
        case .badAssignment(let option, let text):
            language.pick(
                "Cannot read \(option) \"\(text)\": expected NAME=NUMBER, as in \(option) Bob=8.",
                fr: "Impossible de lire \(option) « \(text) » : attendu NOM=NOMBRE, comme \(option) Bob=8.")
        case .severalModes:
            language.pick(
                "Cannot split in two ways at once. Give one of --exact, --shares and --percent.",
                fr: "Une seule façon de partager à la fois : --exact, --shares ou --percent.")
        case .payersExceed:
            language.pick(
                "Cannot share the payment: the amounts after --by do not leave a part for the others. Correct them.",
                fr: "Les montants de --by ne laissent rien aux autres payeurs. Corrigez-les.")
        case .payersNeeded:
            language.pick(
                "Cannot change the amount alone: several people paid. Say who paid how much with --by NAME=AMOUNT.",
                fr: "Plusieurs personnes ont payé : dites qui a payé combien avec --by NOM=MONTANT.")
        case .noProposal(let number, let count):
            language.pick(
                "Cannot record proposal \(number): there are \(count). Run \"cekikapeye settle\" to see them.",
                fr: "La proposition \(number) n'existe pas : il y en a \(count). Lancez « cekikapeye settle ».")
        default: ""
        }
    }

    private func rowsMessage(_ problems: [RowProblem], _ language: Language) -> String {
        let lines = problems.map { "  \($0)" }.joined(separator: "\n")
        return language.pick(
            "Cannot import the file: \(problems.count) rows cannot be read. Nothing was imported. Correct them, or skip "
                + "them with --skip-bad.\n\(lines)",
            fr: "Import refusé : \(problems.count) lignes illisibles. Rien n'a été importé. Corrigez-les, ou "
                + "passez-les avec --skip-bad.\n\(lines)")
    }

    private static func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

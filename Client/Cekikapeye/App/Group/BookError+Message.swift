package import CekikapeyeRules
internal import RoostModel

extension BookError {
    /// Describes the problem, the reason, and the remedy.
    package func message(in language: Language) -> String {
        switch self {
        case .unknownPerson, .ambiguousPerson, .nameTaken, .nameWithMark, .nobody, .nobodyNamed, .payerNeeded,
            .userDeleted:
            peopleMessage(language)
        case .unknownRecord, .ambiguousRecord, .notDeleted, .badAssignment, .severalModes, .payersExceed, .payersNeeded,
            .noProposal,
            .amountNeeded, .proposalChanged, .proposalNotShown:
            requestMessage(language)
        case .groupStays:
            language.pick(
                "Cannot undo: it would delete the group itself, for everyone. To give it up on this device, delete its file.",
                fr:
                    "Impossible d'annuler : cela supprimerait le groupe, pour tout le monde. Pour y renoncer ici, effacez son fichier."
            )
        case .groupDeleted:
            language.pick(
                "Cannot read the group: it was deleted. Bring it back with \"cekikapeye redo\" if its making was undone last, else "
                    + "with \"cekikapeye undelete group\".",
                fr:
                    "Impossible de lire le groupe : il a été supprimé. Rétablissez-le avec « cekikapeye redo » si sa création "
                    + "vient d'être annulée, sinon avec « cekikapeye undelete group »."
            )
        case .viewer(let path):
            language.pick(
                "Cannot write: you may only read this group, so the others would never get it. Where an owner has made this device an "
                    + "editor with \"roost role\", run \"cekikapeye sync\". With an invite of an editor run: "
                    + "roost join LINK \(ShellWord.quoted(path))",
                fr:
                    "Écriture refusée : vous ne pouvez que lire ce groupe, et les autres ne la recevraient pas. Si un propriétaire a "
                    + "fait de cet appareil un « editor » avec « roost role », lancez « cekikapeye sync ». Avec une invitation "
                    + "« editor », lancez : roost join LIEN \(ShellWord.quoted(path))")
        case .joinInterrupted(let path):
            language.pick(
                "Cannot read the group: making it or joining it was interrupted, and \"\(path)\" is empty. Run \"cekikapeye new\" or "
                    + "\"cekikapeye join LINK\" again, with --file \(ShellWord.quoted(path)). Where the link was used up, ask for another.",
                fr:
                    "Impossible de lire le groupe : sa création ou l'entrée a été interrompue, et « \(path) » est vide. Relancez "
                    + "« cekikapeye new » ou « cekikapeye join LIEN », avec --file \(ShellWord.quoted(path)). Si le lien a déjà servi, demandez-en un "
                    + "autre.")
        case .noGroup:
            language.pick(
                "Cannot read the group: the replica has none yet. Run \"cekikapeye sync\" and try again.",
                fr: "Impossible de lire le groupe : la copie n'en contient pas encore. Lancez « cekikapeye sync »."
            )
        case .groupCurrency(let code):
            language.pick(
                "Cannot tell the currency: that of the group, \"\(code)\", is unknown. Give --currency EUR, or set the group's "
                    + "with \"cekikapeye currency EUR\".",
                fr:
                    "Quelle monnaie ? Celle du groupe, « \(code) », est inconnue. Donnez --currency EUR, ou réglez celle du "
                    + "groupe : « cekikapeye currency EUR ».")
        case .blank:
            language.pick(
                "Cannot use a blank text: a name or a title is needed. Type one.",
                fr: "Texte vide refusé : il faut un nom ou un titre.")
        case .tooLong(let limit):
            language.pick(
                "Cannot use the text: it is longer than \(limit) characters. Shorten it.",
                fr: "Texte refusé : plus de \(limit) caractères. Raccourcissez-le.")
        case .date(let error): error.message(in: language)
        case .amount(let error): error.message(in: language)
        case .money(let error): error.message(in: language)
        case .split(let error): error.description
        case .expense(let error): error.description
        case .unusable(_, let message): message
        case .settlement(let error): error.description
        case .file(let error): error.description
        case .malformedSpending(let id, let reason):
            language.pick(
                "Cannot edit spending \(id) in part: \(reason) Give amount, --by and --for together.",
                fr: "Impossible de modifier la dépense \(id) en partie : \(reason) Donnez montant, --by et --for.")
        case .rows(let problems): rowsMessage(problems, language)
        case .nothingReadable(let problems): nothingReadableMessage(problems, language)
        case .balancesDiffer(let code, let differences): differMessage(code, differences, language)
        case .importedDiffers(let code):
            language.pick(
                "Cannot confirm the import: nothing in the file is new, and the imported spendings in \(code) do not balance as the "
                    + "file does. Correct them or the file, or accept the difference with --beside.",
                fr:
                    "Import non confirmé : rien n'est nouveau dans le fichier, et les dépenses importées en \(code) n'ont pas les "
                    + "soldes du fichier. Corrigez-les ou le fichier, ou acceptez la différence avec --beside.")
        }
    }

    private func peopleMessage(_ language: Language) -> String {
        switch self {
        case .unknownPerson(_, let candidates) where candidates.isEmpty,
            .payerNeeded(let candidates) where candidates.isEmpty:
            language.pick(
                "Nobody is in the group yet. Add people with \"cekikapeye person add NAME …\".",
                fr: "Il n'y a encore personne dans le groupe. Ajoutez des gens : « cekikapeye person add NOM … ».")
        case .nameWithMark(let name):
            language.pick(
                "Cannot use the name \"\(name)\": commas and equals signs have a meaning in --by and --for. Leave them out.",
                fr: "Nom « \(name) » refusé : la virgule et le signe égal ont un sens dans --by et --for. Retirez-les.")
        case .nobodyNamed(let option):
            language.pick(
                "Cannot read \(option): it names nobody. Name people, or leave \(option) out.",
                fr: "Impossible de lire \(option) : personne n'y est nommé. Nommez quelqu'un, ou retirez \(option).")
        case .unknownPerson(let name, let candidates):
            language.pick(
                "Cannot find \"\(name)\": nobody here has a name that begins so. There are \(Self.list(candidates)).",
                fr: "« \(name) » est inconnu : personne n'a un nom qui commence ainsi. Il y a \(Self.list(candidates))."
            )
        case .ambiguousPerson(let name, let candidates):
            language.pick(
                "Cannot tell who \"\(name)\" is: it fits \(Self.list(candidates)). Type more of the name, "
                    + "or what stands in brackets instead of it.",
                fr:
                    "« \(name) » est ambigu : \(Self.list(candidates)). Tapez davantage du nom, ou à sa place ce qui est "
                    + "entre parenthèses.")
        case .nameTaken(let name):
            language.pick(
                "Cannot use the name \"\(name)\": somebody has it already. Add a letter or a family name.",
                fr: "Le nom « \(name) » est déjà pris. Ajoutez une lettre ou un nom de famille.")
        case .userDeleted(let name):
            language.pick(
                "Cannot tell who paid: \(ShortText.cut(name, to: 40)), who uses this device, was deleted. Bring them back: cekikapeye "
                    + "undelete \(ShellWord.last(name)). Or say --by NAME, or \"cekikapeye me NAME\" once.",
                fr:
                    "Qui a payé ? \(ShortText.cut(name, to: 40)), qui utilise cet appareil, a été supprimé. Rétablir : cekikapeye "
                    + "undelete \(ShellWord.last(name)). Ou ajoutez --by NOM, ou « cekikapeye me NOM » une fois.")
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
        case .notDeleted(let text):
            language.pick(
                "Cannot bring \"\(text)\" back: nothing that was deleted is called so. \"cekikapeye undelete\" lists what can come "
                    + "back.",
                fr: "« \(text) » n'a pas été supprimé. « cekikapeye undelete » montre ce qui peut être rétabli.")
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
        case .amountNeeded(let from, let to):
            language.pick(
                "Cannot change the currency from \(from) to \(to) alone: \(to) has other decimals. Say the amount, as in --amount 12.",
                fr:
                    "Impossible de passer seulement de \(from) à \(to) : les décimales diffèrent. Donnez le montant, comme --amount 12."
            )
        case .proposalChanged(let number):
            language.pick(
                "Cannot record proposal \(number): the balances have changed since \"cekikapeye settle\" showed it. Run that again.",
                fr:
                    "La proposition \(number) n'est plus valable : les soldes ont changé. Relancez « cekikapeye settle »."
            )
        case .proposalNotShown(let number):
            language.pick(
                "Cannot record proposal \(number): this device has shown none of this group yet. Run \"cekikapeye settle\" first.",
                fr:
                    "Impossible de noter la proposition \(number) : cet appareil n'en a montré aucune. Lancez d'abord « cekikapeye settle »."
            )
        case .noProposal(let number, let count):
            language.pick(
                "Cannot record proposal \(number): the number of proposals is \(count). Run \"cekikapeye settle\" to see them.",
                fr: "La proposition \(number) n'existe pas : il y en a \(count). Lancez « cekikapeye settle ».")
        default: ""
        }
    }

    private func rowsMessage(_ problems: [RowProblem], _ language: Language) -> String {
        let lines = problems.map { "  \($0)" }.joined(separator: "\n")
        return language.pick(
            "Cannot import the file: rows that cannot be read: \(problems.count). Nothing was imported. Correct them, or skip "
                + "them with --skip-bad.\n\(lines)",
            fr: "Import refusé : lignes illisibles : \(problems.count). Rien n'a été importé. Corrigez-les, ou "
                + "passez-les avec --skip-bad.\n\(lines)")
    }

    private func nothingReadableMessage(_ problems: [RowProblem], _ language: Language) -> String {
        guard !problems.isEmpty else {
            return language.pick(
                "Cannot make a group of the file: it has no row. Export it again, or make one with \"cekikapeye new\".",
                fr: "Pas de groupe : le fichier n'a aucune ligne. Exportez-le de nouveau, ou lancez « cekikapeye new »."
            )
        }
        let lines = problems.prefix(20).map { "\n  \($0)" }.joined() + (problems.count > 20 ? "\n  …" : "")
        return language.pick(
            "Cannot import the file: not one of its rows can be read, so that nothing is left to import. Rows: \(problems.count). "
                + "Correct them.\(lines)",
            fr: "Import refusé : aucune ligne n'est lisible, il ne reste rien à importer. Lignes : \(problems.count). "
                + "Corrigez-les.\(lines)")
    }

    private func differMessage(_ code: String, _ differences: [ImportDifference], _ language: Language) -> String {
        let shown = differences.prefix(20).map { "\n  \($0.text(in: language))" }.joined()
        let more = differences.count > 20 ? "\n  …" : ""
        return language.pick(
            "Cannot import: the imported spendings in \(code) would not balance as the file does. Nothing was imported. Delete "
                + "what is twice, or import all the same with --beside.\(shown)\(more)",
            fr:
                "Import refusé : les dépenses importées en \(code) n'auraient pas les soldes du fichier. Rien n'a été importé. "
                + "Supprimez les doublons, ou importez quand même avec --beside.\(shown)\(more)")
    }

    /// Lists at most twelve names, each cut to 40 characters, since a name may have any length.
    private static func list(_ names: [String]) -> String {
        let shown = names.prefix(12).map { ShortText.cut($0, to: 40) }.joined(separator: ", ")
        return names.count > 12 ? "\(shown), …" : shown
    }
}

internal import CekikapeyeApp
internal import CekikapeyeRules
internal import Terminal

/// The reason why a command has failed, for failures that neither the book nor the replica reports.
enum CommandError: Error, Hashable {
    /// No group was named and none was found.
    case noGroup
    /// The folder has several groups.
    case severalGroups([String])
    /// A group file cannot be created; the message gives the reason.
    case cannotMake(String)
    /// The file does not exist.
    case noSuchFile(String)
    /// A file cannot be read.
    case unreadable(String, reason: String)
    /// The admin token is required, but not given.
    case adminTokenNeeded
    /// A deletion was not confirmed.
    case notConfirmed(String)
    /// An edit has no change.
    case nothingToChange
    /// The environment names no currency.
    case currencyNeeded
    /// The file of the group used last no longer exists.
    case lastGroupMissing(String)
    /// The file is an auxiliary file of a group's file.
    case partOfGroup(String, group: String)
    /// A folder was named as a group.
    case groupIsFolder(String)
    /// The file does not contain a group.
    case notAGroup(String)
    /// The argument of "join" is not a link.
    case notALink
    /// The server does not know the invite.
    case unknownInvite
    /// The file to be created by joining exists already.
    case fileIsThere(String)
    /// A file does not contain an admin token.
    case noToken(String)
    /// The server does not know the admin token.
    case wrongAdminToken(server: String)
    /// The group is on a server already.
    case alreadyShared(server: String)
    /// The first word is not a command.
    case noSuchCommand(String, suggestion: String?)
    /// The output could not be written.
    case outputIncomplete(String)

    /// Whether no group was named and none was found.
    var isWithoutGroup: Bool {
        switch self {
        case .noGroup, .lastGroupMissing: true
        default: false
        }
    }

    var status: ExitStatus {
        switch self {
        case .noGroup, .noSuchFile, .lastGroupMissing: .noInput
        case .unreadable, .partOfGroup, .groupIsFolder, .notAGroup, .noToken: .dataError
        case .wrongAdminToken, .unknownInvite: .notPermitted
        case .cannotMake, .outputIncomplete, .fileIsThere: .cannotCreate
        case .severalGroups, .adminTokenNeeded, .notConfirmed, .nothingToChange, .currencyNeeded,
            .notALink, .alreadyShared, .noSuchCommand:
            .usage
        }
    }

    /// The code of the error, for programs.
    var code: String {
        switch self {
        case .noGroup: "noGroup"
        case .severalGroups: "severalGroups"
        case .cannotMake: "cannotMake"
        case .noSuchFile: "noSuchFile"
        case .unreadable: "unreadable"
        case .adminTokenNeeded: "adminTokenNeeded"
        case .notConfirmed: "notConfirmed"
        case .nothingToChange: "nothingToChange"
        case .currencyNeeded: "currencyNeeded"
        case .lastGroupMissing: "lastGroupMissing"
        case .partOfGroup: "partOfGroup"
        case .groupIsFolder: "groupIsFolder"
        case .notAGroup: "notAGroup"
        case .notALink: "notALink"
        case .unknownInvite: "unauthorized"
        case .fileIsThere: "exists"
        case .noToken: "noToken"
        case .wrongAdminToken: "wrongAdminToken"
        case .alreadyShared: "alreadyShared"
        case .noSuchCommand: "noSuchCommand"
        case .outputIncomplete: "outputIncomplete"
        }
    }

    func message(in language: Language) -> String {
        switch self {
        case .noGroup:
            language.pick(
                "No group yet. Make one with \"cekikapeye new\", or name its file with --group.",
                fr: "Aucun groupe. Créez-en un avec « cekikapeye new », ou indiquez son fichier avec --group.")
        case .severalGroups(let names):
            language.pick(
                "Cannot tell which group: this folder has \(names.joined(separator: ", ")). Name one with --group.",
                fr: "Quel groupe ? Ce dossier contient \(names.joined(separator: ", ")). Indiquez-le avec --group.")
        case .cannotMake(let message): message
        case .noSuchFile(let path):
            language.pick(
                "Cannot open \"\(path)\": there is no such file. Check the name.",
                fr: "Impossible d'ouvrir « \(path) » : ce fichier n'existe pas. Vérifiez le nom.")
        case .unreadable(let path, let reason):
            language.pick(
                "Cannot read \"\(path)\": \(reason). Check the file.",
                fr: "Impossible de lire « \(path) » : \(reason). Vérifiez le fichier.")
        case .adminTokenNeeded:
            language.pick(
                "Cannot make a scope on the server: it needs its admin token. Set ROOST_ADMIN_TOKEN or give "
                    + "--admin-token-file.",
                fr: "Le serveur demande son jeton d'administration : ROOST_ADMIN_TOKEN ou --admin-token-file.")
        case .notConfirmed(let name):
            language.pick(
                "Cannot delete \"\(name)\" without a confirmation. Give --yes, or deactivate instead.",
                fr: "Suppression de « \(name) » non confirmée. Donnez --yes, ou désactivez plutôt.")
        case .nothingToChange:
            language.pick(
                "Cannot edit: nothing to change was given. Say what, as in --title or --amount.",
                fr: "Rien à modifier : dites quoi, par exemple --title ou --amount.")
        case .currencyNeeded:
            language.pick(
                "Cannot choose a currency: the environment names no country. Give --currency EUR.",
                fr: "Quelle monnaie ? Aucun pays dans l'environnement. Donnez --currency EUR.")
        case .lastGroupMissing, .partOfGroup, .groupIsFolder, .notAGroup: fileMessage(language)
        case .notALink, .unknownInvite, .fileIsThere, .noToken, .wrongAdminToken, .alreadyShared:
            sharingMessage(language)
        case .noSuchCommand(let word, let suggestion):
            language.pick(
                "There is no command \"\(word)\". "
                    + (suggestion.map { "Did you mean \"cekikapeye \($0)\"? " } ?? "")
                    + "\"cekikapeye --help\" lists them.",
                fr: "Il n'y a pas de commande « \(word) ». "
                    + (suggestion.map { "Vouliez-vous dire « cekikapeye \($0) » ? " } ?? "")
                    + "« cekikapeye --help » les montre.")
        case .outputIncomplete(let reason):
            language.pick(
                "Cannot write the output: \(reason). What was written of it is incomplete; the group is unharmed.",
                fr:
                    "Impossible d'écrire la sortie : \(reason). Ce qui en est écrit est incomplet ; le groupe est intact."
            )
        }
    }
}

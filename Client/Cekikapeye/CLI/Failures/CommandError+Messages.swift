internal import CekikapeyeApp
internal import CekikapeyeRules
internal import RoostModel

extension CommandError {
    /// Returns the messages about a group's file.
    func fileMessage(_ language: Language) -> String {
        switch self {
        case .lastGroupMissing(let path):
            language.pick(
                "Cannot open the group used last: \"\(path)\" is not there any more. If the file was moved or renamed, name it with "
                    + "--group; \"cekikapeye new\" makes another group.",
                fr:
                    "Impossible d'ouvrir le dernier groupe utilisé : « \(path) » n'est plus là. Si le fichier a été déplacé ou "
                    + "renommé, indiquez-le avec --group ; « cekikapeye new » crée un autre groupe.")
        case .partOfGroup(let path, let group):
            language.pick(
                "Cannot open \"\(path)\" as a group: it is a part of \"\(group)\". Give --group \(ShellWord.quoted(group)), and leave this file where it "
                    + "is.",
                fr:
                    "« \(path) » n'est pas un groupe, mais une partie de « \(group) ». Donnez --group \(ShellWord.quoted(group)), et laissez ce "
                    + "fichier où il est.")
        case .groupIsFolder(let path):
            language.pick(
                "Cannot open \"\(path)\" as a group: it is a folder. Name the .roost file in it.",
                fr: "« \(path) » n'est pas un groupe, mais un dossier. Indiquez le fichier .roost.")
        case .notAGroup(let path):
            language.pick(
                "Cannot open \"\(path)\": no group is in this file. Name a group's .roost file with --group, or make a group with "
                    + "\"cekikapeye new\" or \"cekikapeye join\".",
                fr:
                    "Impossible d'ouvrir « \(path) » : ce fichier ne contient aucun groupe. Indiquez un fichier .roost avec "
                    + "--group, ou créez un groupe avec « cekikapeye new » ou « cekikapeye join ».")
        default: ""
        }
    }

    /// Returns the messages about sharing and joining a group.
    func sharingMessage(_ language: Language) -> String {
        switch self {
        case .notALink:
            language.pick(
                "Cannot join: this is no invite link. Copy the whole link, from \"https://\" to its end.",
                fr: "Ce n'est pas un lien d'invitation. Copiez le lien entier, de « https:// » jusqu'à la fin.")
        case .unknownInvite:
            language.pick(
                "Cannot join: the server does not know this invite. The link is mistyped or cut. Copy it again from its sender.",
                fr:
                    "Impossible de rejoindre : le serveur ne connaît pas cette invitation. Le lien est mal copié ou coupé. Copiez-le "
                    + "de nouveau depuis le message reçu.")
        case .fileIsThere(let path):
            language.pick(
                "Cannot join with \"\(path)\": there is a file already. For another group, name a new file with --file. To join the "
                    + "group of that file again, as with another role, run: roost join LINK \(ShellWord.quoted(path))",
                fr:
                    "Impossible de rejoindre avec « \(path) » : le fichier existe déjà. Pour un autre groupe, donnez un nouveau fichier "
                    + "avec --file. Pour rejoindre de nouveau le groupe de ce fichier, avec un autre rôle par exemple, lancez : "
                    + "roost join LIEN \(ShellWord.quoted(path))")
        case .noToken(let path):
            language.pick(
                "Cannot use \"\(path)\": it holds no admin token, which is one line of letters and digits. Name the file \"admin-token\" of "
                    + "the server.",
                fr:
                    "« \(path) » ne contient pas de jeton d'administration, qui tient en une ligne de lettres et de chiffres. "
                    + "Indiquez le fichier « admin-token » du serveur.")
        case .wrongAdminToken(let server):
            language.pick(
                "Cannot share the group: \(server) does not know this admin token. Take that of the server's file \"admin-token\".",
                fr: "Partage impossible : \(server) ne connaît pas ce jeton d'administration. Prenez celui du fichier "
                    + "« admin-token » du serveur.")
        case .alreadyShared(let server):
            language.pick(
                "Cannot share the group: it is on \(server) already. Let others in with \"cekikapeye invite\". If that server lost its "
                    + "data, run \"cekikapeye share\" again with --again.",
                fr:
                    "Le groupe est déjà sur \(server). Invitez avec « cekikapeye invite ». Si ce serveur a perdu ses données, "
                    + "relancez « cekikapeye share » avec --again.")
        default: ""
        }
    }
}

internal import CekikapeyeApp
internal import Foundation
internal import Replica
internal import RoostModel

extension CommandContext {
    /// Rewords the reason why a group is not synchronised. The library's text is meant for operators of a server.
    func plain(_ state: String, of replica: Replica) -> String {
        guard let server = (try? replica.membership())??.server else { return state }
        if state.utf8.firstRange(of: "Another server answers than before".utf8) != nil {
            let file = ShellWord.quoted(absolute(replica.path))
            let address = ShellWord.quoted(server)
            return text(
                "\(server) is another server than before, or one that has lost its data. Nothing is lost here. Its owner puts the group "
                    + "there again with \"cekikapeye share --again --server \(address) --admin-token-file FILE\" and makes new invites; "
                    + "the others then run \"roost join LINK \(file)\".",
                fr:
                    "\(server) est un autre serveur qu'avant, ou a perdu ses données. Rien n'est perdu ici. Le propriétaire y remet "
                    + "le groupe avec « cekikapeye share --again --server \(address) --admin-token-file FICHIER » et invite de nouveau ; "
                    + "les autres lancent alors « roost join LIEN \(file) ».")
        }
        return Self.withoutCurl(state)
    }

    /// Removes libcurl's text of a failure, which is in brackets: the sentence around it explains the failure.
    static func withoutCurl(_ text: String) -> String {
        guard let end = text.utf8.firstRange(of: ", curl ".utf8)?.lowerBound,
            let start = text[..<end].utf8.lastIndex(of: UInt8(ascii: "(")),
            let close = text[end...].utf8.firstIndex(of: UInt8(ascii: ")"))
        else { return text }
        let head = text[..<start].utf8.last == UInt8(ascii: " ") ? text[..<start].dropLast() : text[..<start]
        return String(head + text[text.utf8.index(after: close)...])
    }
}

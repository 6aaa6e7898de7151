internal import CekikapeyeApp
internal import CekikapeyeRules
internal import Foundation
internal import Replica
internal import RoostModel

extension CommandContext {
    /// Returns one line about the state of synchronisation.
    func syncLine(_ replica: Replica) throws -> String {
        guard let membership = try replica.membership() else {
            return text("Only on this device: no server.", fr: "Seulement sur cet appareil : pas de serveur.")
        }
        let status = try replica.status()
        let server = membership.server
        var parts: [String] = []
        if status.waiting > 0 {
            parts.append(
                text("waiting for sync: \(status.waiting)", fr: "à synchroniser : \(status.waiting)"))
        }
        if let contact = status.lastContact {
            parts.append(text("last contact \(moment(contact))", fr: "dernier contact \(moment(contact))"))
        } else {
            parts.append(text("never synchronised", fr: "jamais synchronisé"))
        }
        if let failure = status.failure { parts.append(plain(failure, of: replica)) }
        return "\(server): " + parts.joined(separator: "; ")
    }

    func syncJSON(_ replica: Replica) throws -> JSONValue {
        let membership = try replica.membership()
        let status = try replica.status()
        return .members(
            ("file", .string(replica.path)), ("server", membership.map { .string($0.server) }),
            ("scope", membership.map { .string($0.scope.description) }),
            ("scopeName", membership.map { .string($0.scopeName) }),
            ("role", membership.map { .string($0.role.rawValue) }),
            ("device", membership.map { .string($0.deviceName) }), ("waiting", .integer(status.waiting)),
            ("lastContactMilliseconds", status.lastContact.map { .integer($0) }),
            ("failure", status.failure.map { .string($0) }), ("beaten", .integer(status.beaten)),
            ("refused", .integer(status.refused)), ("hidden", .integer(status.hidden)),
            ("digest", .string(status.digest.description)))
    }

    /// Formats a time in the local time zone: `2026-07-14 18:05`.
    func moment(_ milliseconds: Int64) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = .current
        formatter.dateFormat = "yyyy-MM-dd HH:mm"
        return formatter.string(from: Date(timeIntervalSince1970: Double(milliseconds) / 1000))
    }
}

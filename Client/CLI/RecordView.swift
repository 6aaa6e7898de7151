internal import Replica
internal import Roost
internal import RoostModel
internal import Terminal

/// Formats records and authors for the command line.
struct RecordView {
    private let form: RecordForm
    private let identifiers: IdentifierForm

    init(_ replica: Replica, devices: [ReplicaID: String] = [:], own: Membership? = nil) {
        form = RecordForm(replica, devices: devices, own: own)
        identifiers = replica.identifiers
    }

    func entity(_ key: RecordKey) -> String { form.entity(key) }

    /// Returns the identifier of a record as a literal that SQL takes.
    func literal(_ key: RecordKey) -> String { identifiers.literal(key.id) }

    /// Returns a record as its entity and its identifier.
    func record(_ key: RecordKey) -> String { "\(entity(key)) \(literal(key))" }

    func author(_ stamp: HybridTimestamp) -> String { form.author(stamp) }

    func object(_ encoded: [UInt8], _ key: RecordKey) -> JSONValue { form.object(encoded, key) }

    /// Returns the content on one line. Long values are truncated; `--json` prints them in full.
    func text(_ encoded: [UInt8], _ key: RecordKey) -> String {
        let members = object(encoded, key).members ?? []
        return members.map { member in
            let value = Console.printable(member.value.stringValue ?? member.value.text)
            let isLong = value.count > Self.valueCharactersMax
            return "\(member.name)=\(isLong ? value.prefix(Self.valueCharactersMax - 1) + "…" : value)"
        }.joined(separator: " ")
    }

    /// The maximum length of a value: that of a UUID.
    private static let valueCharactersMax = 36
}

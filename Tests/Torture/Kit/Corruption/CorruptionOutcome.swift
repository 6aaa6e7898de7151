/// The outcome of a corruption.
enum CorruptionOutcome: String, CaseIterable, Sendable {
    /// The corruption hit nothing that matters: the sync succeeds, and all data is present.
    case harmless
    /// The sync succeeds with all data present, after the replica was rebuilt from the server.
    case repaired
    /// The program reports that the file is corrupt, or that it cannot continue, with the reason.
    case told
    /// The sync succeeds. Pending content is lost from the file, which the journal records. No change of its transaction was
    /// sent.
    case journaled
    /// The sync succeeds. Pending changes after a corrupt place are lost, and the sync reports that they may be.
    case lostAndSaid
    /// The sync succeeds. Pending changes in the corrupt part never arrive.
    case lostWaiting
    /// A pending row had corrupt bytes of its own, and was sent with them.
    case sentDamaged
    /// A pending row had corrupt bytes of its own and was sent with them, and the program reports that the file is corrupt.
    case sentAndTold
    /// A confirmed row was corrupted into a valid one, and was sent as an untracked write (decision 162). The journal has the
    /// confirmed content.
    case takenForWrite
    /// The sync succeeds. A part of the file is still corrupt, and `roost check` reports it.
    case staysDamagedSaid
    /// The sync succeeds. The replica shows corrupt data, or a part of the file is still corrupt, and no program reports it.
    case showsDamaged

    /// Whether all data is present in the end, without user action.
    var isWell: Bool { [.harmless, .repaired].contains(self) }

    /// Whether data is lost, sent or shown without a report.
    var isUnsaid: Bool { [.lostWaiting, .sentDamaged, .showsDamaged].contains(self) }

    var title: String {
        switch self {
        case .harmless: "harmless: everything equal"
        case .repaired: "repaired without the user"
        case .told: "said plainly"
        case .journaled: "what waited was lost with its damaged bytes, the journal says so"
        case .lostAndSaid: "what waited was lost behind its log's damaged bytes, the sync says so"
        case .lostWaiting: "what waited was lost with its damaged bytes, unsaid"
        case .sentDamaged: "what waited was damaged in its own bytes and sent so, unsaid"
        case .sentAndTold:
            "what waited was damaged in its own bytes and sent so, the sync says that the file is damaged"
        case .takenForWrite: "damage that makes sense was sent as a write, the journal keeps what was confirmed"
        case .staysDamagedSaid: "the file stays damaged in part, roost check says so"
        case .showsDamaged: "shows what is damaged, or stays so, unsaid"
        }
    }
}

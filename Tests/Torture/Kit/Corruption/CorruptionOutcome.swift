/// What came of a damage.
enum CorruptionOutcome: String, CaseIterable, Sendable {
    /// It hit nothing that matters: the sync ends well, and all is there.
    case harmless
    /// The sync ends well and all is there, after the replica was built anew from the server.
    case repaired
    /// The program says that the file is damaged, or that it cannot go on, and why.
    case told
    /// The sync ends well; content that waited is not in the file any more, and the journal says so. Nothing of its
    /// transaction was sent.
    case journaled
    /// The sync ends well; what waited and stood behind a damaged place is gone, and the sync says that it may be so.
    case lostAndSaid
    /// The sync ends well; what waited and stood in the damaged part never arrives.
    case lostWaiting
    /// What waited was damaged in its own bytes, and was sent so.
    case sentDamaged
    /// The same, and the program says that the file is damaged.
    case sentAndTold
    /// A confirmed row was damaged so that it makes sense, and was sent as a write that no trigger has seen (decision 162). The journal has
    /// the content that was confirmed.
    case takenForWrite
    /// The sync ends well; a part of the file is damaged still, and `roost check` says so.
    case staysDamagedSaid
    /// The sync ends well; the replica shows what is damaged, or a part of the file is damaged still, and nothing says so.
    case showsDamaged

    /// Whether everything is there in the end, and nobody had to do anything.
    var isWell: Bool { [.harmless, .repaired].contains(self) }

    /// Whether something is lost, sent or shown, and nothing says so.
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

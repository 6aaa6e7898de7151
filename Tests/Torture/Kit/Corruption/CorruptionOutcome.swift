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
    /// The sync ends well; the replica shows a record whose own bytes were damaged.
    case showsDamaged

    var title: String {
        switch self {
        case .harmless: "harmless: everything equal"
        case .repaired: "repaired without the user"
        case .told: "said plainly"
        case .journaled: "what waited was lost with its damaged bytes, the journal says so"
        case .lostAndSaid: "what waited was lost behind its log's damaged bytes, the sync says so"
        case .lostWaiting: "what waited was lost with its damaged bytes, unsaid"
        case .sentDamaged: "what waited was damaged in its own bytes and sent so, unsaid"
        case .showsDamaged: "shows a record that was damaged in its own bytes, unsaid"
        }
    }
}

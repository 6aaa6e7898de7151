/// The effect of each delete rule on each kind of relationship, a companion to protocol.md §11.3.
///
/// There is a parent with one child. The changes that the save reported follow a colon: `+` inserted, `~` updated, `-` deleted.
///
/// - `a → b`: the child reads its parent.
/// - `→ nil`: the child reads nil, and so does SQL.
/// - `→ (parent)`: the object is missing, and its identifier can be read.
///
/// An identifier is readable as stored until the delete is saved.
struct DeleteRuleRow {
    let kinds: [FamilyKind]
    let rules: [String]
    let cells: [(moment: Moment, expected: String)]

    /// The moment at which the delete and the child meet.
    enum Moment {
        /// The parent is deleted in this context, without a save.
        case unsaved
        /// The parent is deleted in this context, and the delete is saved.
        case saved
        /// Another context or device deletes the parent, and has the child.
        case elsewhere
        /// Another context or device deletes the parent while the child has an unsaved edit here. The edit is then saved.
        case whileChildIsEdited
        /// Another context or device deletes the parent while a new child is unsaved here. The child is then saved.
        case whileChildIsNew
        /// Another device deletes the parent while a new child is saved here, but not pushed.
        case whileChildIsNotPushed
        /// The child is deleted after another device has deleted the parent.
        case thenChildGoes
        /// The child is deleted instead of the parent: in this context without a save, with a save, or by another context or
        /// device.
        case childUnsaved, childSaved, childElsewhere
    }

    init(_ kinds: [FamilyKind], _ rules: [String], _ cells: [(Moment, String)]) {
        (self.kinds, self.rules, self.cells) = (kinds, rules, cells.map { (moment: $0, expected: $1) })
    }

    /// The cells for deletes of the parent.
    static let parents = [
        DeleteRuleRow(
            FamilyKind.references, ["nullify"],
            [
                (.unsaved, "parent gone, child → (parent)"),
                (.saved, "parent deleted, child visible → nil: -parent"),
                (.elsewhere, "parent deleted, child visible → nil"),
                (.whileChildIsEdited, "parent deleted, child visible → nil: ~child"),
                (.whileChildIsNew, "parent deleted, child visible → nil: +child"),
                (.whileChildIsNotPushed, "parent deleted, child visible → nil"),
            ]),
        DeleteRuleRow(
            FamilyKind.references, ["noAction"],
            [
                (.unsaved, "parent gone, child → (parent)"),
                (.saved, "parent deleted, child visible → (parent): -parent"),
                (.elsewhere, "parent deleted, child visible → (parent)"),
                (.whileChildIsEdited, "parent deleted, child visible → (parent): ~child"),
                (.whileChildIsNew, "parent deleted, child visible → (parent): +child"),
                (.whileChildIsNotPushed, "parent deleted, child visible → (parent)"),
            ]),
        DeleteRuleRow(FamilyKind.references, ["cascade"], cascade),
        // A tree cascades, whichever rule its other end declares.
        DeleteRuleRow([.tree], ["cascade", "nullify", "deny", "noAction"], cascade),
        DeleteRuleRow(
            FamilyKind.references, ["deny"],
            [
                (.unsaved, "parent gone, child → (parent)"),
                (.saved, "denied: parent visible, child visible → parent"),
                // A context or device that sees the child may not delete the parent.
                (.elsewhere, "denied: parent visible, child visible → parent"),
                (.whileChildIsNew, "parent kept by child, child visible → parent: +child"),
                (.whileChildIsNotPushed, "parent kept by child, child visible → parent"),
                (.thenChildGoes, "parent deleted, child deleted: -child"),
            ]),
        // A link is a separate record, and disappears with either end.
        DeleteRuleRow(
            FamilyKind.links, ["nullify"],
            [
                (.unsaved, "parent gone, child → nil"),
                (.saved, "parent deleted, child visible → nil: -parent"),
                (.elsewhere, "parent deleted, child visible → nil"),
                (.whileChildIsEdited, "parent deleted, child visible → nil: ~child"),
                (.whileChildIsNew, "parent deleted, child visible → nil: +child +link, link stays hidden"),
                (.whileChildIsNotPushed, "parent deleted, child visible → nil"),
            ]),
        // The link keeps the parent as long as it is stored, even if it is hidden.
        DeleteRuleRow(
            FamilyKind.links, ["deny"],
            [
                (.unsaved, "parent gone, child → nil"),
                (.saved, "denied: parent visible, child visible → parent"),
                (.elsewhere, "denied: parent visible, child visible → parent"),
                (.whileChildIsNew, "parent kept by link, child visible → parent: +child +link"),
                (.whileChildIsNotPushed, "parent kept by link, child visible → parent"),
                (.thenChildGoes, "parent kept by link, child deleted: -child"),
            ]),
    ]

    private static let cascade: [(Moment, String)] = [
        (.unsaved, "parent gone, child gone"),
        (.saved, "parent deleted, child hidden by parent: -parent"),
        (.elsewhere, "parent deleted, child hidden by parent"),
        (.whileChildIsEdited, "parent deleted, child hidden by parent: ~child, child stays hidden"),
        (.whileChildIsNew, "parent deleted, child hidden by parent: +child, child stays hidden"),
        (.whileChildIsNotPushed, "parent deleted, child hidden by parent"),
    ]

    /// The cells for deletes of the child. With each rule on the parent's side, the parent stays and loses a child.
    static let child: [(moment: Moment, expected: String)] = [
        (.childUnsaved, "parent visible, child gone"),
        (.childSaved, "parent visible, child deleted: -child"),
        (.childElsewhere, "parent visible, child deleted"),
    ]

    /// Schemas that are refused: the kinds, the rules on the parent's and the child's side, and the message.
    static let refusals: [(kinds: [FamilyKind], rule: String, childRule: String, reason: String)] = [
        (FamilyKind.links, "cascade", "nullify", "cannot have the rule \"cascade\""),
        (FamilyKind.links, "noAction", "nullify", "cannot have the rule \"noAction\""),
        (FamilyKind.links, "nullify", "cascade", "cannot have the rule \"cascade\""),
        (FamilyKind.links, "nullify", "noAction", "cannot have the rule \"noAction\""),
        (FamilyKind.references + [.tree], "cascade", "cascade", "is on the side that stores the reference"),
        (FamilyKind.references + [.tree], "cascade", "deny", "is on the side that stores the reference"),
    ]
}

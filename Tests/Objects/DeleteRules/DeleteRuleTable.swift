/// The effect of each delete rule on each kind of relationship, to be read next to protocol.md §11.3.
///
/// There is a parent with one child. `a → b`: the child reads its parent. `→ nil`: it reads nil, and so does SQL. `→ (parent)`: the
/// object is not there and its identifier is. After a colon stands what the save reported: `+` inserted, `~` updated, `-` deleted.
///
/// An identifier reads as it is written until the delete is saved.
struct DeleteRuleRow {
    let kinds: [FamilyKind]
    let rules: [String]
    let cells: [(moment: Moment, expected: String)]

    /// When the delete and the child meet.
    enum Moment {
        /// The parent is deleted in this context, and not saved.
        case unsaved
        /// The same, saved.
        case saved
        /// Somebody else deletes the parent, and knows the child.
        case elsewhere
        /// The same, while the child has an unsaved edit here, which is then saved.
        case whileChildIsEdited
        /// Somebody else deletes the parent, while a new child is not saved here; then it is.
        case whileChildIsNew
        /// Another device deletes the parent, while the new child is saved here and not pushed.
        case whileChildIsNotPushed
        /// The child is deleted after all that.
        case thenChildGoes
        /// The child is deleted in this context instead of the parent, and not saved; saved; by somebody else.
        case childUnsaved, childSaved, childElsewhere
    }

    init(_ kinds: [FamilyKind], _ rules: [String], _ cells: [(Moment, String)]) {
        (self.kinds, self.rules, self.cells) = (kinds, rules, cells.map { (moment: $0, expected: $1) })
    }

    /// Deleting the parent.
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
        // A tree cascades, whatever its other end says.
        DeleteRuleRow([.tree], ["cascade", "nullify", "deny", "noAction"], cascade),
        DeleteRuleRow(
            FamilyKind.references, ["deny"],
            [
                (.unsaved, "parent gone, child → (parent)"),
                (.saved, "denied: parent visible, child visible → parent"),
                // Whoever sees the child may not delete the parent.
                (.elsewhere, "denied: parent visible, child visible → parent"),
                (.whileChildIsNew, "parent kept by child, child visible → parent: +child"),
                (.whileChildIsNotPushed, "parent kept by child, child visible → parent"),
                (.thenChildGoes, "parent deleted, child deleted: -child"),
            ]),
        // A link is a record of its own, and goes with either end.
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
        // It is the link that holds the parent, and it is stored as long as nobody removes it: a hidden one holds too.
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

    /// Deleting the child: whatever the rule on the parent's side, the parent stays and loses a child.
    static let child: [(moment: Moment, expected: String)] = [
        (.childUnsaved, "parent visible, child gone"),
        (.childSaved, "parent visible, child deleted: -child"),
        (.childElsewhere, "parent visible, child deleted"),
    ]

    /// What the schema language refuses: kinds, the rules of the parent's and the child's side, and what it says.
    static let refusals: [(kinds: [FamilyKind], rule: String, childRule: String, reason: String)] = [
        (FamilyKind.links, "cascade", "nullify", "cannot have the rule \"cascade\""),
        (FamilyKind.links, "noAction", "nullify", "cannot have the rule \"noAction\""),
        (FamilyKind.links, "nullify", "cascade", "cannot have the rule \"cascade\""),
        (FamilyKind.links, "nullify", "noAction", "cannot have the rule \"noAction\""),
        (FamilyKind.references + [.tree], "cascade", "cascade", "is on the side that stores the reference"),
        (FamilyKind.references + [.tree], "cascade", "deny", "is on the side that stores the reference"),
    ]
}

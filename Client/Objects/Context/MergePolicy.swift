/// What becomes of an object's unsaved edits where somebody else changed the same record meanwhile.
///
/// Attributes and to-one relationships that only one side changed always keep that side's value.
public enum MergePolicy: Hashable, Sendable {
    /// What was edited here stays; a record that was deleted elsewhere comes back with it, one that is deleted here stays so.
    case keepMine
    /// What was changed elsewhere replaces what was edited here; a delete elsewhere, too. A record that is deleted here and was
    /// edited elsewhere comes back.
    case takeTheirs
    /// The save is refused with ``ObjectError/Code/conflict``, and says which; refresh the objects, or save with another policy.
    case ask
}

/// The treatment of unsaved edits of an object whose record was changed elsewhere in the meantime.
public enum MergePolicy: Hashable, Sendable {
    /// Edits of this context win. A record that was deleted elsewhere comes back with them, and a record that is deleted here
    /// stays deleted.
    case keepMine
    /// Changes elsewhere replace edits of this context, deletes included. A record that is deleted here and was edited elsewhere
    /// comes back.
    case takeTheirs
    /// The save throws ``ObjectError/Code/conflict``, which lists the conflicts. Refresh the objects, or save with another
    /// policy.
    case ask
}

/// The exit status of Roost's programs, for scripts (after BSD's sysexits).
package enum ExitStatus: Int32, Sendable, CaseIterable {
    case success = 0
    /// The arguments are wrong.
    case usage = 64
    /// An input file, line or schema is invalid. Nothing was changed.
    case dataError = 65
    /// A named file, record or journal row does not exist.
    case noInput = 66
    /// The server cannot be reached, or is not trusted.
    case unavailable = 69
    /// A defect in Roost itself.
    case internalError = 70
    /// A file cannot be created: it exists, or its folder does not.
    case cannotCreate = 73
    /// Synchronisation is incomplete. A later attempt may succeed.
    case temporary = 75
    /// The server, or a delete rule, forbids the operation.
    case notPermitted = 77

    /// The table of statuses for help texts.
    package static let help = """
        EXIT STATUS
          0   done                                 69  the server cannot be reached
          64  wrong arguments                      70  a mistake in Roost itself
          65  an input cannot be read              73  a file cannot be made
          66  a file or record is not there        75  not all synchronised; try again
                                                   77  not allowed
        """
}

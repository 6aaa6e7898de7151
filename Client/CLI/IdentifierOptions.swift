internal import ArgumentParser
internal import Replica
internal import Roost
internal import RoostModel

/// The form of the identifiers in a new replica file.
struct IdentifierOptions: ParsableArguments {
    enum Form: String, ExpressibleByArgument, CaseIterable {
        case bytes, text
    }

    @Option(
        name: .customLong("identifiers"),
        help: ArgumentHelp(
            """
            How a new file stores identifiers, references and UUIDs: bytes, BLOBs of 16 bytes, or text, 32 hexadecimal digits, for programs that cannot \
            use a BLOB as a key, such as ORMs. Other devices are free to differ. Default: bytes.
            """, valueName: "form"))
    var form: Form?

    var identifiers: IdentifierForm? { form.flatMap { IdentifierForm(rawValue: $0.rawValue) } }

    /// Refuses a form that an existing file does not have.
    func check(_ replica: Replica) throws {
        guard let identifiers, identifiers != replica.identifiers else { return }
        throw RoostError(
            .invalidArgument,
            "Cannot store identifiers as \(identifiers.rawValue) in \"\(replica.path)\": it is a file with identifiers as \(replica.identifiers.rawValue), and stays so. Join with a new file."
        )
    }
}

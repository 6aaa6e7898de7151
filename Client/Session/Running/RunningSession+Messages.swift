/// Messages of the session to users.
extension RunningSession {
    static let otherNumber =
        "Cannot use the server's answer: it is to another push. Check that nothing between here and the server mixes "
        + "answers up."
    static let clockNotAsked =
        "Cannot use the server's answer: it asks for new stamps, and was sent none. Check the server's version."
    static let emptyPage =
        "Cannot use the server's page: it is empty and says that there is more. Check the server's version."
    static let stillDiffers =
        "Cannot bring this replica in line: it was built anew and still differs from the server. Keep the file and "
        + "report it."
    static let stillSentBack =
        "Cannot pull: the server sends this replica back to the start again and again. Keep the file and look at the "
        + "server."
    static func notRecognised(_ message: String) -> String {
        "\(message) The server may run without its data; this replica keeps what it has and tries again every 5 minutes."
    }
    static func refused(_ message: String) -> String {
        "\(message) This replica keeps what it has and tries again every 15 minutes."
    }
    static func stillRefused(_ message: String) -> String {
        "Cannot push: this replica was given a new identity twice and is refused still. \(message) Keep the file and "
            + "report it."
    }
    static let tooManyRenewals =
        "Cannot push: this replica was given a new identity \(renewalsPerDayMax) times in 24 hours. Keep the file, and find out "
        + "which program copies or restores it, or what answers in the server's place."
    static func tryLater(seconds: Int64) -> String { "The server asks to try again in \(seconds) s." }
    static let stillAhead =
        "Cannot push: the changes were stamped anew by the server's clock and it still finds them ahead. Set this "
        + "device's clock and sync again."
}

internal import ArgumentParser
internal import CekikapeyeApp

/// The options for payers and participants.
struct SplitOptions: ParsableArguments {
    @Option(name: .long, help: "Who paid: NAME or NAME=AMOUNT, several with commas. You, unless said otherwise.")
    var by: [String] = []

    @Option(name: .customLong("for"), help: "For whom: names with commas. Everyone active, unless said otherwise.")
    var participants: [String] = []

    @Option(name: .long, help: "Exact amounts, as in Bob=8; the others share the rest.")
    var exact: [String] = []

    @Option(name: .long, help: "Whole shares, as in Ana=2,Bob=1.")
    var shares: [String] = []

    @Option(name: .long, help: "Percents, as in Ana=60,Bob=40; 100 together.")
    var percent: [String] = []

    var request: SplitRequest {
        var request = SplitRequest()
        request.payers = by
        request.participants = participants
        request.exact = exact
        request.shares = shares
        request.percent = percent
        return request
    }
}

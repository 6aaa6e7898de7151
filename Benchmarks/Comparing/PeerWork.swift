import BenchmarkData
import RoostModel

/// The work of a run, in the form that the peers read.
struct PeerWork: Encodable {
    private enum Field: Encodable {
        case text(String)
        case number(Int64)
        case flag(Bool)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .number(let number): try container.encode(number)
            case .flag(let flag): try container.encode(flag)
            }
        }
    }

    private let isQuick: Bool
    private let pushCount: Int
    private let pushRounds: Int
    private let pullCount: Int
    private let pullRounds: Int
    private let changeRounds: Int
    private let liveWrites: Int
    private let devices: Int
    private let deviceSeconds: Int
    private let waitingDevices: Int
    private let applyCount: Int
    /// The spendings. Identifiers are hexadecimal digits; the order of fields is that of `Spending`.
    private let spendings: [[Field]]

    init(_ context: Context) {
        isQuick = context.isQuick
        pushCount = context.pushCount
        pushRounds = context.pushRounds
        pullCount = context.pullCount
        pullRounds = context.pullRounds
        changeRounds = context.changeRounds
        liveWrites = context.liveWrites
        devices = context.devices
        deviceSeconds = context.deviceSeconds
        waitingDevices = context.waitingDevices
        applyCount = context.applyCount
        let people = max(1, context.pullCount / Person.spendingsEach)
        spendings = Workload(people: people, spendings: context.pullCount, seed: 2).spendings.map {
            [
                .text(Hex.encode($0.id.bytes)), .text($0.content), .number($0.amount), .text($0.currency),
                .text($0.date), .flag($0.isPaid), .text(Hex.encode($0.person.bytes)),
            ]
        }
    }
}

internal import Roost
internal import RoostMerge
internal import RoostModel
internal import RoostProtocol
internal import RoostService
internal import Session

/// All checkers of one simulated run, with their state.
struct Checks {
    let derivation: DerivationChecker
    var pages = PageChecker()
    var repetition = RepetitionChecker()
    var ownWrites = OwnWritesChecker()
    var accounting = AccountingChecker()
    var rollback = RollbackChecker()
    private var integrity = IntegrityChecker()
    var purge: PurgeChecker
    var clockBound = ClockBoundChecker()
    /// Parts of transactions that are not complete yet, by token.
    private var staged: [String: [Change]] = [:]
    /// Tokens whose next push starts with the rest of a refused transaction.
    private var restOfRefused: Set<String> = []
    private let cascades: [PropertyID]
    /// Devices that have rebuilt a push under its number.
    var madeAnew: Set<Int> = []
    /// The oracle of foreign programs' writes, in a simulated run with foreign programs.
    var foreign: ForeignOracle?
    /// Whether some changes may be pushed under two identities.
    var hasForks = false
    private(set) var lastDigest: [UInt8] = []

    init(_ conditions: Conditions) throws {
        let rules = ReferenceRules(try Schema(json: SampleSchema.text(version: 1, conditions.schema)))
        cascades = SampleSchema.cascades(conditions.schema)
        derivation = DerivationChecker(rules)
        purge = PurgeChecker(rules, horizonDays: conditions.horizonDays)
        if !conditions.foreign.isEmpty { foreign = ForeignOracle() }
        let plain = Limits()
        dividesTransactions =
            conditions.changesPerTransaction < plain.changesPerTransactionMax
            || conditions.transactionBytes < plain.transactionBytesMax
        comesApart = dividesTransactions
    }

    // MARK: The server

    /// The result of a push.
    struct Taken {
        var accepted: [Change] = []
        /// The number of transactions that were refused.
        var gone = 0
    }

    /// Checks a push and the server's reply to it.
    ///
    /// - Returns: The result; an empty one if the server repeated an earlier reply.
    mutating func took(
        _ body: [UInt8], token: String, of device: Int, reply bytes: [UInt8], now: UInt64, limits: Limits,
        isForeign: Bool = false, _ ledger: inout Ledger
    ) throws -> Taken {
        clockBound.read(now)
        guard try repetition.check(body, token: token, reply: bytes) else { return Taken() }
        let request = try PushRequest(protobuf: body)
        let reply = try PushReply(protobuf: bytes)
        guard reply.results.count == request.transactions.count else {
            throw Violation(
                .acknowledged, "a push of \(request.transactions.count) transactions got \(reply.results.count) results"
            )
        }
        var taken = Taken()
        var isRestOfRefused = restOfRefused.remove(token) != nil
        for (transaction, result) in zip(request.transactions, reply.results) {
            let changes = (staged.removeValue(forKey: token) ?? []) + transaction.changes
            defer { isRestOfRefused = false }
            switch result {
            case .staged: staged[token] = changes
            case .refused(let refusal):
                switch refusal.code {
                case .gone:
                    try purge.checkGone(changes, ledger)
                    taken.gone += 1
                case .badRequest where isRestOfRefused: break
                default: throw Violation(.session, "a transaction is refused: \(refusal.message)")
                }
                if transaction.continues { restOfRefused.insert(token) }
                pages.refused(changes.map(\.key), to: device)
            case .accepted(let sequence, _):
                for change in changes {
                    try purge.checkAccepted(change, ledger, mayRepeat: hasForks || isForeign, now: now)
                    ledger.accept(change, sequence: sequence)
                    try clockBound.check(change, limits)
                    if isForeign, let foreign {
                        try ForeignChangeChecker.check(
                            change, device: device, foreign, ledger, mayRepeat: hasForks)
                    } else {
                        try OneRecordChecker.check(change, ownWrites.stamps)
                    }
                    try CausalityChecker.check(change, ownWrites.stamps, &accounting)
                    try UnknownKeptChecker.check(change, accounting)
                }
                taken.accepted += changes
            }
        }
        return taken
    }

    // MARK: The devices

    mutating func look(
        at view: ReplicaView, after before: ReplicaView, device: Int, version: Int, isForeign: Bool = false,
        _ ledger: Ledger,
        content: (RecordKey) throws -> [UInt8]?
    ) throws {
        // Writes of a program without Roost's code are derived in full when Roost next opens the file.
        foreign?.see(view, device)
        if !view.isUnsettled, !isForeign {
            try derivation.check(view, version: version, ledger, content: content)
            try CascadeParentChecker.check(view, device: device, cascades)
        }
        // A pair that two identities pushed was changed by two transactions. Between pages, half of it may have the later
        // state (protocol.md §7.2).
        if !comesApart, !hasForks || !pages.isBetweenPages(view) {
            try WholeTransactionChecker.check(view, device: device)
        }
        try pages.check(view, device: device, ledger)
        purge.stands(view, device: device, complete: pages.complete(device))
        if !isForeign {
            try purge.check(
                view, after: before, device: device, complete: hasForks ? nil : pages.complete(device), ledger)
        }
        let accounting = accounting
        try ownWrites.check(view, device: device, ledger) { accounting.stamps[$0] ?? [] }
        if foreign?.mayBeCompared.contains(device) == true { integrity.mayBeOlder(device) }
        try integrity.check(view, device: device) {
            rollback.explainsDifference(of: view, device, ledger)
                || purge.explainsDifference(of: view, device: device, ledger)
                || pages.explainsDifference(of: view, device: device, ledger)
        }
        lastDigest = view.digest
    }

    mutating func wrote(_ write: LocalWrite) {
        ownWrites.wrote(write)
        rollback.wrote(write)
        accounting.wrote(write)
    }

    /// Handles a copy of the device's file, which continues as another device.
    mutating func copied(_ device: Int, to copy: Int) {
        ownWrites.copied(device, to: copy)
        // The original may have pushed changes under the shared identity, and received their replies, after the copy was
        // made.
        integrity.mayBeOlder(copy)
        foreign?.copied(device, to: copy)
        pages.wentBack(copy)
        purge.copied(to: copy)
        rollback.copied(device, to: copy)
    }

    /// Handles a conflict with another push of the device under an equal number. It need not be a copy's push: a refused push
    /// that was rebuilt under its number may arrive once more and be accepted. The device continues under another identity,
    /// and does not receive the changes of its old one.
    mutating func wasForked(_ device: Int) {
        hasForks = true
        integrity.mayBeOlder(device)
        pages.wasForked(device)
    }

    /// Handles a possible loss of pages and push replies, which the server delivers again. Local writes are not lost.
    mutating func mayHaveLostPages(_ device: Int) {
        pages.mayHaveLost(device)
        purge.wentBack(device)
        rollback.mayHaveLostPages(device)
    }

    /// Handles a device's file that may be older than before.
    mutating func wentBack(_ device: Int) {
        integrity.mayBeOlder(device)
        pages.wentBack(device)
        purge.wentBack(device)
        ownWrites.mayHaveLost(device)
        accounting.mayHaveLost(device)
        foreign?.mayHaveLost(device)
        rollback.excuse(device)
    }

    /// Handles a device's file that is no longer used. It keeps its writes, which the server may not have.
    mutating func gaveUp(_ device: Int) {
        accounting.mayHaveLost(device)
        foreign?.mayHaveLost(device)
        rollback.excuse(device)
    }

    // MARK: The end

    /// Whether the records that a restored server had lost are brought back in several requests. Until the last one, a
    /// transaction may be partly visible.
    var comesApart = false
    /// Whether the server's limit of one transaction is so low that clients divide theirs.
    let dividesTransactions: Bool

    /// Checks that all replicas and the server are equal, and nothing is pending.
    ///
    /// - Parameter views: The views of the devices in use.
    func end(_ ledger: Ledger, _ views: [ReplicaView], _ counts: inout Counts) throws {
        try CopiesChecker.check(views)
        for (index, view) in views.enumerated() where !dividesTransactions {
            try WholeTransactionChecker.check(view, device: index)
        }
        try rollback.check(ledger, ownWrites.journals)
        try accounting.check(ledger, ownWrites, &counts) { key in
            views.first?.rows[key].map { !$0.isVisible } ?? false
        }
    }

    // MARK: Restoring the server

    /// The state about answered pushes, which is restored together with the server.
    struct Answered {
        fileprivate var repetition: RepetitionChecker
        fileprivate var staged: [String: [Change]]
        fileprivate var restOfRefused: Set<String>
        fileprivate var purge: PurgeChecker
        fileprivate var history: ServerHistory
    }

    var answered: Answered {
        Answered(
            repetition: repetition, staged: staged, restOfRefused: restOfRefused, purge: purge, history: pages.history)
    }

    /// Prepares for a restore of the server's store from a backup. Every device has been observed.
    mutating func serverGoesBack(_ ledger: Ledger) throws {
        try rollback.serverGoesBack(ledger, ownWrites.journals)
    }

    /// Handles the restore of the server's store from a backup.
    mutating func serverWentBack(
        to answered: Answered, head: UInt64, isByOperator: Bool, _ views: [(device: Int, view: ReplicaView)],
        _ ledger: Ledger, devices: Int
    ) {
        repetition = answered.repetition
        staged = answered.staged
        restOfRefused = answered.restOfRefused
        purge.serverWentBack(to: answered.purge, devices: devices)
        // A push that the server has forgotten is resent under a new identity.
        hasForks = true
        pages.serverWentBack(to: answered.history, head: head)
        rollback.serverWentBack(isByOperator: isByOperator, views, ledger)
    }
}

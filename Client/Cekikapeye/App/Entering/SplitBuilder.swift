internal import CekikapeyeRules
internal import RoostModel

/// Converts the typed payers and participants to a checked split.
struct SplitBuilder {
    let roster: Roster
    let amount: Money
    let language: Language
    /// The identifier of the expense. It determines which of the payers without an amount gets an odd cent.
    let seed: ExpenseID
    /// The person who uses this device.
    let me: RecordID?

    /// Makes a split.
    ///
    /// - Parameter base: The previous split. Parts that the request does not give stay as in it.
    /// - Returns: The split, and the person under whom the spending is listed; `nil` if that person does not change.
    func build(_ request: SplitRequest, base: Split? = nil) throws(BookError) -> (split: Split, first: Member?) {
        let (payers, first) = try payers(request, base: base)
        let (mode, shares, rest) = try consumption(request, base: base)
        let split = try ExpenseBook.checking { () throws(SplitError) in
            let split = try Split(mode: mode, payers: payers, shares: shares, rest: rest)
            return try base.map { (base) throws(SplitError) in try split.keepingUnknownKeys(of: base) } ?? split
        }
        return (split, first)
    }

    // MARK: Payers

    private func payers(
        _ request: SplitRequest, base: Split?
    ) throws(BookError) -> (payers: [PersonID: Int64], first: Member?) {
        if let base, request.payers.isEmpty {
            if base.mode == .net && !request.saysForWhom { return ([:], nil) }
            if base.payers.values.reduce(0, +) == amount.minorUnits { return (base.payers, nil) }
            guard base.payers.count == 1, let payer = base.payers.keys.first else { throw .payersNeeded }
            return ([payer: amount.minorUnits], nil)
        }
        let named = try namedPayers(request)
        var payers: [PersonID: Int64] = [:]
        var open: [PersonID] = []
        for (member, number) in named {
            guard payers[member.personID] == nil, !open.contains(member.personID) else {
                throw .split(.personTwice(member.personID))
            }
            if let number { payers[member.personID] = try money(number) } else { open.append(member.personID) }
        }
        // At most 1000 amounts of at most 10^12 each: the sum fits.
        let left = amount.minorUnits - payers.values.reduce(0, +)
        if !open.isEmpty {
            guard left.signum() == amount.minorUnits.signum() else { throw .payersExceed }
            payers.merge(try evenly(left, open)) { given, _ in given }
        }
        return (payers, named.first?.member)
    }

    private func namedPayers(_ request: SplitRequest) throws(BookError) -> [(member: Member, number: String?)] {
        guard request.payers.isEmpty else { return try people(request.payers, "--by") }
        guard let member = roster.members.first(where: { $0.id == me }) else {
            if let name = me.flatMap({ roster.deletedName(of: $0) }) { throw .userDeleted(name) }
            throw .payerNeeded(candidates: roster.members.map(\.name))
        }
        return [(member, nil)]
    }

    private func evenly(_ left: Int64, _ people: [PersonID]) throws(BookError) -> [PersonID: Int64] {
        do {
            let split = try Split.even(payers: [:], participants: people)
            return try split.consumed(of: left, seed: seed)
        } catch { throw .split(error) }
    }

    // MARK: Participants

    private typealias Consumption = (mode: SplitMode, shares: [PersonID: Int64], rest: Set<PersonID>)

    private func consumption(_ request: SplitRequest, base: Split?) throws(BookError) -> Consumption {
        if let base, !request.saysForWhom { return (base.mode, base.shares, base.rest) }
        let modes = [request.exact, request.shares, request.percent]
        guard modes.count(where: { !$0.isEmpty }) <= 1 else { throw .severalModes }
        let participants = try participants(request)
        if !request.exact.isEmpty { return try exact(request, participants) }
        if !request.shares.isEmpty {
            let given = try numbers(request.shares, "--shares") { text in Int64(text) }
            let others = request.participants.isEmpty ? [] : participants
            return (.shares, Dictionary(others.map { ($0, 1) }) { one, _ in one }.merging(given) { $1 }, [])
        }
        if !request.percent.isEmpty {
            return (.percent, try numbers(request.percent, "--percent") { BasisPoints.read($0) }, [])
        }
        return (.even, Dictionary(participants.map { ($0, 1) }) { one, _ in one }, [])
    }

    private func participants(_ request: SplitRequest) throws(BookError) -> [PersonID] {
        guard request.participants.isEmpty else {
            return try people(request.participants, "--for").map(\.member.personID)
        }
        let active = roster.activeMembers.map(\.personID)
        guard !active.isEmpty else { throw .nobody }
        return active
    }

    private func exact(_ request: SplitRequest, _ participants: [PersonID]) throws(BookError) -> Consumption {
        var given: [PersonID: Int64] = [:]
        for (member, number) in try people(request.exact, "--exact") {
            guard let number else { throw .badAssignment(option: "--exact", member.name) }
            guard given.updateValue(try money(number), forKey: member.personID) == nil else {
                throw .split(.personTwice(member.personID))
            }
        }
        let others = Set(participants).subtracting(given.keys)
        // If the amounts add up to the total, people without a given amount do not participate.
        let isWhole = given.values.reduce(0, +) == amount.minorUnits && request.participants.isEmpty
        return (.exact, given, isWhole ? [] : others)
    }

    private func numbers(
        _ texts: [String], _ option: String, _ read: (String) -> Int64?
    ) throws(BookError) -> [PersonID: Int64] {
        var numbers: [PersonID: Int64] = [:]
        for (member, text) in try people(texts, option) {
            guard let number = text.flatMap(read) else { throw .badAssignment(option: option, text ?? member.name) }
            guard numbers.updateValue(number, forKey: member.personID) == nil else {
                throw .split(.personTwice(member.personID))
            }
        }
        return numbers
    }

    /// Finds the people named in texts.
    ///
    /// - Parameter option: The option with the texts. It is refused if it names nobody, for instance because a shell
    ///   variable is empty.
    private func people(_ texts: [String], _ option: String) throws(BookError) -> [(member: Member, number: String?)] {
        let matcher = NameMatcher(roster.members)
        var people: [(member: Member, number: String?)] = []
        for (name, number) in Assignments.read(texts) {
            guard !name.isEmpty else { throw .nobodyNamed(option: option) }
            people.append((try matcher.find(name), number))
        }
        guard !people.isEmpty else { throw .nobodyNamed(option: option) }
        return people
    }

    private func money(_ text: String) throws(BookError) -> Int64 {
        do { return try AmountParser(currency: amount.currency, language: language).parse(text).money.minorUnits } catch
        {
            throw .amount(error)
        }
    }
}

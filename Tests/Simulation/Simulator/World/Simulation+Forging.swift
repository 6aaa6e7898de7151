internal import Replica
internal import RoostModel
internal import RoostProtocol
internal import RoostService

/// A member of the scope that sends changes in the name of another replica.
extension Simulation {
    func forge() async throws {
        guard server.isRunning else { return }
        let intruder = try await intruderToken()
        // The server may have died while the intruder joined.
        try sawServer()
        guard server.isRunning, let token = intruder,
            let victim = try devices.randomElement(using: &random).flatMap({ device in
                try device.run { try device.replica?.membership()?.replica }
            })
        else { return }
        counts[.forged] += 1
        let key =
            ledger.records.keys.sorted().randomElement(using: &random)
            ?? RecordKey(entity: SampleSchema.label, id: RecordID(high: 3, low: 1))
        let content = ContentCoding.encode([.init(property: SampleSchema.text, value: .string("forged"))])
        let change = Change(
            key: key,
            stamp: HybridTimestamp(milliseconds: UInt64(server.clock.wall), counter: 1, replica: victim),
            kind: Bool.random(using: &random) ? .delete : .put(Put(content: content).encoded(), base: nil))
        let push = PushRequest(number: 1, checkpoint: nil, transactions: [.init(changes: [change])])
        // The push was refused, or the server died.
        if case .message = await server.push(push.protobuf(), token: token) {
            throw Violation(.session, "the server took \(change.stamp), which is in another's name")
        }
        try sawServer()
    }

    private func intruderToken() async throws -> String? {
        if let intruder { return intruder }
        guard let service = server.service, let owner else { return nil }
        // A server that fails now accepts no new device.
        guard let invite = try? await service.createInvite(role: .editor, hours: nil, uses: 1, by: owner),
            let link = invite.token,
            let registration = try? await service.join(
                invite: try SimulatedServer.token(link), device: "intruder", nonce: "nonce of the intruder")
        else { return nil }
        intruder = registration.token
        return intruder
    }
}

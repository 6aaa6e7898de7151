import Replica
import Roost
import RoostModel
import TestProcesses
import Testing

/// A program that shares a replica through the SDK alone, with a real server. The article "Getting started" shows two blocks of it.
@Suite(.serialized) struct SharingTests {
    private let stage: Stage
    private let owner: Replica

    /// Makes Ana's replica with one record. It belongs to no scope.
    init() throws {
        stage = try Stage()
        owner = try Replica.create(at: stage.path("a.roost"), schema: Schema(json: Stage.schema))
        try owner.write("add Ana") {
            try $0.put("Person", id: RecordID(derivedFrom: ["Ana"]), ["name": .string("Ana")])
        }
    }

    private func share(_ replica: Replica, on server: String, _ adminToken: String) async throws -> String {
        try await replica.createScope(named: "Lisbon", on: server, adminToken: adminToken, device: "Ana's phone")
        let report = try await replica.synchronise()
        let link = try await replica.scope.invite(role: .editor, hours: 24, uses: 1)
        #expect(report.isUpToDate, "\(report.state)")
        return link
    }

    private func join(_ link: String, at path: String) async throws -> Replica {
        let replica = try await Replica.join(link, at: path, device: "Bob's phone")
        let report = try await replica.synchronise()
        if !report.isUpToDate { print(report.state) }
        #expect(report.isUpToDate)
        return replica
    }

    /// Makes Bob's replica, which joins Ana's scope.
    private func joined() async throws -> Replica {
        let link = try await share(owner, on: stage.address, stage.adminToken)
        return try await join(link, at: stage.path("b.roost"))
    }

    private func names(_ replica: Replica) throws -> [[Value]] { try replica.select("SELECT name FROM person") }

    private func synchronise(_ replica: Replica) async throws {
        let report = try await replica.synchronise()
        #expect(report.isUpToDate, "\(report.state)")
    }

    @Test func aReplicaIsSharedAndJoined() async throws {
        let bob = try await joined()
        #expect(try names(bob) == [[.string("Ana")]])
        #expect(try bob.membership()?.scopeName == "Lisbon")
        let digest = try await bob.scope.digest()
        #expect(try digest == owner.digest() && digest == bob.digest())
        let again = await #expect(throws: RoostError.self) {
            try await bob.createScope(named: "x", on: stage.address, adminToken: stage.adminToken, device: "x")
        }
        #expect(again?.code == .invalidArgument)
    }

    @Test func anOwnerManagesDevicesAndInvites() async throws {
        let bob = try await joined()
        let device = try #require(try bob.membership()?.replica)
        try await owner.scope.setRole(.viewer, of: device)
        let devices = try await owner.scope.devices()
        #expect(devices.map(\.name) == ["Ana's phone", "Bob's phone"] && devices.map(\.role) == [.owner, .viewer])

        _ = try await owner.scope.invite(role: .viewer, hours: 1, uses: 2)
        let invite = try #require(try await owner.scope.invites().first)
        #expect(invite.role == .viewer && invite.usesLeft == 2)
        try await owner.scope.revokeInvite(invite.id)
        #expect(try await owner.scope.invites().isEmpty)

        #expect(try await owner.scope.revoke(device).isEmpty)
        let refusal = await #expect(throws: RoostError.self) { try await bob.scope.devices() }
        #expect(refusal?.code == .notPermitted)
    }

    @Test func aRevokedFileRejoins() async throws {
        let bob = try await joined()
        let device = try #require(try bob.membership()?.replica)
        try await owner.scope.revoke(device)
        try bob.write("add Bob") { try $0.put("Person", id: RecordID(derivedFrom: ["Bob"]), ["name": .string("Bob")]) }
        try await bob.rejoin(owner.scope.invite(role: .editor, hours: 1, uses: 1))
        try await synchronise(bob)
        try await synchronise(owner)
        #expect(try names(owner).count == 2)
        #expect(try bob.membership()?.replica != device && bob.membership()?.deviceName == "Bob's phone")
    }

    @Test func aReplicaSeedsItsScopeOnAnotherServer() async throws {
        let bob = try await joined()
        let other = try Stage()
        try await owner.seedScope(on: other.address, adminToken: other.adminToken)
        try await synchronise(owner)
        try await bob.rejoin(owner.scope.invite(role: .editor, hours: 1, uses: 1))
        try await synchronise(bob)
        let digest = try await bob.scope.digest()
        #expect(try digest == owner.digest() && bob.membership()?.server == other.address)
    }

    @Test func aTokenIsReplaced() async throws {
        let bob = try await joined()
        let before = try bob.membership()?.token
        try await bob.rotateToken()
        #expect(try bob.membership()?.token != before)
        try await synchronise(bob)
    }

    @Test func aPublishedSchemaReachesTheOthers() async throws {
        let bob = try await joined()
        let later = Stage.schema.replacing(#""version": 1"#, with: #""version": 2"#)
        try await owner.scope.publish(Schema(json: later))
        try await synchronise(bob)
        #expect(try bob.nextSchema()?.version == 2)
    }
}

/// The operation during which a program crashes.
enum CrashScene: CaseIterable, Sendable {
    /// A transaction of SQLite's shell: the client's commit.
    case plainWrite
    /// `roost undelete`: a write through the library.
    case libraryWrite
    /// `roost sync` with changes on both sides: seal, push, acknowledge, pull, apply.
    case clientSync
    /// `roost init`: a new replica.
    case newReplica
    /// `roost join` with an invite link: the replica of another device.
    case join
    /// The server accepts a push and sends a page.
    case serverPush
    /// The server starts on its data, and stops.
    case serverStart
    /// The server starts with records old enough to be purged, and stops.
    case serverPurge
    /// `roost sync` with changes on both sides, with a page that names purged records.
    case clientPurge
    /// The server starts on data of an earlier file format.
    case serverFormat
    /// `roost status` of a replica of an earlier file format.
    case replicaFormat
    /// `roost migrate`: a replica is migrated to a later version of its schema.
    case migration
    /// `roost-server backup` next to a running server.
    case backup
    /// `roost-server restore` of an older backup; the devices bring back what it lacks.
    case restore
    /// `roost token rotate`: the file and its token file change.
    case tokenRotation
    /// `roost sync` of a copied replica, which takes a new identity.
    case renewal
    /// `roost join LINK FILE` with a replica of the scope.
    case rejoin

    var title: String {
        switch self {
        case .plainWrite: "commit of a plain program"
        case .libraryWrite: "commit of roost"
        case .clientSync: "client: seal, acknowledge, apply"
        case .newReplica: "client: new replica"
        case .join: "client: join"
        case .serverPush: "server: push"
        case .serverStart: "server: start and stop"
        case .serverPurge: "server: purge"
        case .clientPurge: "client: page of purged records"
        case .serverFormat: "server: data of an earlier format"
        case .replicaFormat: "client: replica of an earlier format"
        case .migration: "client: migration to a later schema"
        case .backup: "server: backup"
        case .restore: "server: restore"
        case .tokenRotation: "client: rotation of the token"
        case .renewal: "client: a copy takes a new identity"
        case .rejoin: "client: join with a file that is there"
        }
    }

    /// The minimum number of calls: with fewer, the scene would have done nothing.
    var callsLeast: Int {
        switch self {
        case .plainWrite: 10
        case .libraryWrite: 20
        case .clientSync: 24
        case .newReplica: 20
        case .join: 40
        // One write of all frames, and one sync.
        case .serverPush: 2
        case .serverStart: 3
        case .serverPurge: 10
        case .clientPurge: 30
        case .serverFormat: 10
        case .replicaFormat: 10
        case .migration: 10
        case .backup: 8
        case .restore: 20
        case .tokenRotation: 8
        case .renewal: 24
        case .rejoin: 24
        }
    }
}

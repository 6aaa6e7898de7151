import ArgumentParser
import BenchmarkData
import Foundation
import Replica
import ShapedLink

/// The row "live" without any of Roost's code: the time this machine takes for three commits in three processes with two
/// messages between them. It is a lower bound, because it tracks, resolves and repeats nothing.
struct BareChain {
    /// The approximate size of a push of one record on the wire, including heads.
    static let messageBytes = 400

    let context: Context
    let durability: Durability

    /// - Returns: Milliseconds from before each write until another connection to the last process's file sees it.
    func times(_ work: Workload, warmUp: Int) async throws -> Samples {
        let arguments = ["--synchronous", durability.rawValue, "--spendings", String(work.spendings.count)]
        let relay = try ChildProcess(context.program, ["relay", "--file", context.freshPath("relay")] + arguments)
        defer { relay.stop() }
        guard let port = Int(try await relay.line()) else { throw BenchmarkError("The relay names no port.") }
        let path = try context.freshPath("relayed")
        let receiver = try ChildProcess(
            context.program, ["receive", "--file", path, "--port", String(port)] + arguments)
        defer { receiver.stop() }
        _ = try await receiver.line()
        guard let socket = LinkSocket.connected(to: port) else { throw BenchmarkError("The relay is not there.") }
        let database = try RawDatabase(context.freshPath("sender"), durability)
        try database.createPlainTable(withIndex: true)
        let insert = try database.prepareInsert()
        var times: [Double] = []
        for (index, spending) in work.spendings.enumerated() {
            try await Task.sleep(for: .milliseconds(5))
            let start = Stopwatch.nanoseconds
            try insert.run(spending)
            guard socket.send(Self.message(index)) else { throw BenchmarkError("The relay has gone.") }
            guard let seen = UInt64(try await receiver.line()) else {
                throw BenchmarkError("The receiver says no time.")
            }
            times.append(Double(seen - start) / 1_000_000)
        }
        return Samples(Array(times.dropFirst(warmUp)))
    }

    static func message(_ index: Int) -> [UInt8] {
        let number = withUnsafeBytes(of: UInt64(index).bigEndian) { Array($0) }
        return number + [UInt8](repeating: 0, count: messageBytes - number.count)
    }

    /// Inserts the record of each message, each in a transaction.
    ///
    /// - Parameter then: Called with each message after its insert.
    static func insertEach(
        from socket: LinkSocket, into database: RawDatabase, _ count: Int, then: ([UInt8]) -> Void = { _ in }
    ) throws {
        let insert = try database.prepareInsert()
        let spendings = Live.work(count).spendings
        var bytes: [UInt8] = []
        while true {
            let more = socket.receive(messageBytes)
            guard !more.isEmpty else { return }
            bytes += more
            while bytes.count >= messageBytes {
                let message = Array(bytes.prefix(messageBytes))
                bytes.removeFirst(messageBytes)
                try insert.run(spendings[Int(message.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })])
                then(message)
            }
        }
    }
}

/// The options of both processes of the chain.
struct ChainOptions: ParsableArguments {
    @Option var file: String
    @Option var synchronous: String
    @Option var spendings: Int

    func open() throws -> (RawDatabase, Durability) {
        guard let durability = Durability(rawValue: synchronous) else {
            throw ValidationError("Expected --synchronous full or normal.")
        }
        let database = try RawDatabase(file, durability)
        try database.createPlainTable(withIndex: true)
        return (database, durability)
    }
}

/// Stands in for the server: stores the messages of the second connection, and forwards them to the first.
struct RelayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay", abstract: "Be the bare chain's server (used by the run itself).", shouldDisplay: false)

    @OptionGroup var options: ChainOptions

    func run() throws {
        let (database, _) = try options.open()
        let (listener, port) = try LinkSocket.listening()
        ObserveCommand.say(String(port))
        guard let receiver = listener.accepted(), let sender = listener.accepted() else { return }
        try BareChain.insertEach(from: sender, into: database, options.spendings) { _ = receiver.send($0) }
    }
}

/// Stands in for the other device: stores incoming messages, and reports when another connection sees them.
struct ReceiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receive", abstract: "Be the bare chain's other device (used by the run itself).",
        shouldDisplay: false)

    @OptionGroup var options: ChainOptions
    @Option var port: Int

    func run() throws {
        let (database, durability) = try options.open()
        guard let socket = LinkSocket.connected(to: port) else { throw BenchmarkError("The relay is not there.") }
        let table = try ObservedTable(options.file, durability)
        ObserveCommand.say("ready")
        try BareChain.insertEach(from: socket, into: database, options.spendings) { _ in table.look() }
    }
}

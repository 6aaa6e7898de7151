/// Concurrent work, each on its own thread.
enum Threads {
    struct Work: Sendable {
        let body: @Sendable () throws -> Void

        init(_ body: @escaping @Sendable () throws -> Void) { self.body = body }
    }

    static func run(_ works: [Work]) throws {
        try Parallel.run(works, threads: works.count) { try $0.body() }
    }
}

internal import Replica
internal import Transport

/// Announces a request that is not answered for some seconds, in a program that announces its waits (``FileWaits``).
struct WaitNotice {
    private static let silence = Duration.seconds(3)

    private let task: Task<Void, Never>

    /// - Returns: `nil` in a program that announces no waits.
    init?(for request: HTTPRequest, to server: ServerAddress) {
        guard let announce = FileWaits.announcer else { return nil }
        let size = request.body.count / 1000
        let upload = size > 0 ? " to a request of \(size) kB" : ""
        task = Task.detached {
            guard (try? await Task.sleep(for: Self.silence)) != nil else { return }
            announce("the answer of \(server)\(upload)")
        }
    }

    func end() { task.cancel() }
}

internal import RoostProtocol
internal import Session
internal import Transport

extension ServerClient {
    /// Sends an order of a ``SyncDriver``.
    nonisolated(nonsending) func answer(to order: SyncDriver.Order) async -> Result<
        SyncDriver.Answer, SyncFailure
    > {
        var client = self
        client.token = order.token
        do throws(ServerFailure) {
            switch order.request {
            case .renew(let reason, let nonce):
                return .success(.renewed(try await client.renew(reason: reason, nonce: nonce)))
            case .recover(let records): return .success(.recovered(try await client.recover(records)))
            case .push(let body): return .success(.push(try await client.push(body)))
            case .pushAndPull(let body, let checkpoint, _):
                return .success(.push(try await client.pushAndPull(body, since: checkpoint)))
            case .connect: preconditionFailure("A connection is opened by PreconnectedPush")
            case .pull(let checkpoint, let seconds):
                return .success(.pull(try await client.pull(since: checkpoint, waitSeconds: seconds)))
            case .pullAhead(let checkpoint): return .success(.pull(try await client.pull(ahead: checkpoint)))
            case .pushReply(let number, let hash):
                let reply = try await client.reply(toPush: number, hash: hash)
                return .success(reply.map { .push($0) } ?? .pushIsNotStored)
            case .schema: return .success(.schema(try await client.schema()))
            case .findToken(let hashes):
                client.token = nil
                return .success(.foundToken(try await client.known(hashes)))
            }
        } catch {
            if case .findToken = order.request, error.isOfEarlierServer { return .success(.foundToken(nil)) }
            if case .pushReply = order.request, error.isOfEarlierServer { return .success(.pushIsUnknown) }
            return .failure(SyncFailure(error))
        }
    }

    /// Opens the request of a push, and completes it once `body` has received the push.
    nonisolated(nonsending) func answer(toPushSince checkpoint: [UInt8]?, awaiting body: PendingBody) async -> Result<
        SyncDriver.Answer, SyncFailure
    > {
        do throws(ServerFailure) {
            return .success(.push(try await pushAndPull(awaiting: body, since: checkpoint)))
        } catch {
            return .failure(SyncFailure(error))
        }
    }
}

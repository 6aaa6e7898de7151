internal import Objects
internal import RoostModel

/// Observes a list or the replica: `roost_observe` of `roost.h`.
@c(roost_observe)
public func observe(
    _ replica: Int64, _ json: UnsafePointer<CChar>?, _ length: Int,
    _ callback: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?, _ context: UnsafeMutableRawPointer?,
    _ observation: HandlePointer?, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    Call("roost_observe", json, length, out, outLength).answer(observation) { members, handle in
        let entry = try HandleTable.shared.replica(replica)
        var request: FetchRequest<ManagedObject>?
        var section: String?
        if members.has("entity") {
            request = try RequestForm(&members).request
            section = try members.text("sectionedBy")
        }
        try members.end()
        return try entry.call { use in
            let changes = try use.coordinator.changes()
            let content: any Observation.Content =
                if let request { try ListContent(request, sectionedBy: section, use) } else { StatusContent(entry) }
            let called = callback.map { Observation.Callback(function: $0, context: context) }
            let observation = Observation(entry, content, called)
            try entry.add(observation)
            handle.pointee = HandleTable.shared.add(.observation(observation))
            observation.start(changes)
            return .nothing
        }
    }
}

/// Ends an observation: `roost_unobserve` of `roost.h`.
@c(roost_unobserve)
public func unobserve(_ observation: Int64, _ out: TextPointer?, _ outLength: LengthPointer?) -> Int32 {
    Output(out, outLength).answer {
        let ended = try HandleTable.shared.observation(observation)
        // Of two threads that end one observation, one has removed it.
        guard HandleTable.shared.remove(observation) != nil else {
            throw CallError(.closed, "closedHandle", "The handle \(observation) is closed.")
        }
        ended.end()
        return .nothing
    }
}

/// Waits for the next event of an observation: `roost_next_event` of `roost.h`.
@c(roost_next_event)
public func nextEvent(
    _ observation: Int64, _ json: UnsafePointer<CChar>?, _ length: Int, _ out: TextPointer?, _ outLength: LengthPointer?
) -> Int32 {
    let call = Call("roost_next_event", json, length, out, outLength)
    return call.output.answer {
        var members = try Members(call.function, json, length)
        let observation = try HandleTable.shared.observation(observation)
        let limit = try members.timeout() ?? .zero
        try members.end()
        let event = try observation.owner.call { _ in try observation.next(within: limit) }
        return .members(("event", event ?? .null))
    }
}

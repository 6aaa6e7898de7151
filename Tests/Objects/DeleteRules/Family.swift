import Objects
import Replica
import RoostModel
import TestScope
import TestSupport
import Testing

/// A parent, optionally with a child, on two devices. All changes on this device are made in one context.
final class Family {
    /// The author of a delete outside this context.
    enum Other: CaseIterable { case context, device }

    private let home: FamilyHome
    private var kind: FamilyKind { home.kind }
    let context: ObjectContext
    let parent: ManagedObject
    private(set) var child: ManagedObject!

    /// - Parameter hasChild: Whether to make a child, and synchronise it, in advance.
    init(at home: FamilyHome, hasChild: Bool) throws {
        self.home = home
        context = home.here.context()
        parent = try context.make(home.kind.parentEntity, home.nextName())
        if hasChild { try makeChild() }
        try context.save()
        try home.synchronise()
    }

    func makeChild() throws {
        child = try context.make(kind.childEntity, "child")
        if kind.isLinked { try parent.add(child, to: "children") } else { try child.set("parent", to: parent) }
    }

    /// Deletes in another context or on another device, whose delete alone is pulled. Then refreshes this context.
    ///
    /// - Throws: ``ObjectError`` where the delete is denied.
    func delete(_ object: ManagedObject, by other: Other) throws {
        let context = (other == .context ? home.here : home.there).context()
        try context.delete(try #require(try context.object(with: object.objectID)))
        try context.save()
        if other == .device { try home.pull() }
        try self.context.refresh()
    }

    // MARK: Visible state

    /// Returns the visible state of this context. A new context, fetches and SQL have to agree with it.
    func state() throws -> String {
        let seen = try state(context)
        #expect(try state(home.here.context()) == seen, "as a new context sees it")
        return seen
    }

    /// Returns the state of the other device after a synchronisation.
    func stateThere() throws -> String {
        try home.synchronise()
        return try state(home.there.context())
    }

    private func state(_ context: ObjectContext) throws -> String {
        let replica = context.coordinator.stores[0].replica
        var texts: [String] = []
        for object in [parent, child].compactMap({ $0 }) {
            let seen = try context.object(with: object.objectID)
            let liveness = try context.liveness(of: object.objectID)
            let text = name(liveness)
            let isVisible = text == "visible" || text.hasPrefix("kept")
            #expect((seen != nil) == isVisible, "\(name(object.objectID)) is \(text)")
            #expect(try isFetched(object, context) == isVisible, "\(name(object.objectID)) is \(text)")
            let rows = try replica?.select(
                "SELECT count(*) FROM \(object.entity.name) WHERE id = ?",
                [IdentifierForm.tested.value(object.objectID.record)])
            #expect(rows == [[.integer(isVisible ? 1 : 0)]], "\(name(object.objectID)) is \(text)")
            texts.append("\(name(object.objectID)) \(text)")
            if object === child, let seen { texts[texts.count - 1] += try reading(seen, context) }
        }
        return texts.joined(separator: ", ")
    }

    /// Returns the state of the context before its save.
    func unsavedState() throws -> String {
        var texts: [String] = []
        for object in [parent, child].compactMap({ $0 }) {
            let isGone = object.isDeleted
            #expect(try (context.object(with: object.objectID) == nil) == isGone)
            #expect(try isFetched(object, context) != isGone)
            let isVisible = try ObjectContext(childOf: context).object(with: object.objectID) != nil
            #expect(isVisible != isGone, "as a child context sees it")
            texts.append(name(object.objectID) + (isGone ? " gone" : object === parent ? " visible" : ""))
            if object === child, !isGone { texts[texts.count - 1] += try reading(object, context) }
        }
        return texts.joined(separator: ", ")
    }

    private func isFetched(_ object: ManagedObject, _ context: ObjectContext) throws -> Bool {
        try context.fetchIDs(FetchRequest<ManagedObject>(object.entity.name)).contains(object.objectID)
    }

    /// Returns the child's parent as text. The inverse relationship and a predicate have to agree with it.
    private func reading(_ child: ManagedObject, _ context: ObjectContext) throws -> String {
        let read = try kind.isLinked ? child.objects("parent").first : child.object("parent")
        let format = kind.isLinked ? "ANY parent.name == %@" : "parent.name == %@"
        let request = FetchRequest<ManagedObject>(
            kind.childEntity, where: try FetchPredicate(format: format, parent.label))
        #expect(try context.fetchIDs(request) == (read == nil ? [] : [child.objectID]), "as a predicate sees it")
        if let parent = try context.object(with: parent.objectID) {
            #expect(try parent.objects("children") == (read == nil ? [] : [child]))
        }
        if read != nil { return " → parent" }
        guard !kind.isLinked, try child.objectID(of: "parent") != nil else { return " → nil" }
        return " → (parent)"
    }

    // MARK: Names

    func name(_ id: ObjectID) -> String {
        id == parent.objectID ? "parent" : id == child?.objectID ? "child" : "link"
    }

    private func name(_ liveness: ObjectLiveness) -> String {
        switch liveness {
        case .visible: "visible"
        case .kept(let keepers): "kept by \(keepers.map(name).joined(separator: " "))"
        case .hidden(let cause): "hidden by \(name(cause))"
        case .deleted: "deleted"
        case .absent: "absent"
        }
    }

    func name(_ report: SaveReport) -> String {
        let written = [("+", report.inserted), ("~", report.updated), ("-", report.deleted)]
        let changes = written.flatMap { sign, ids in ids.map { sign + name($0) }.sorted() }
        let conflicts = report.conflicts.map { conflict in
            conflict.outcome == .staysHidden
                ? ", \(name(conflict.objectID)) stays hidden" : ", \(name(conflict.objectID)) \(conflict.outcome)"
        }
        return ": " + changes.joined(separator: " ") + conflicts.joined()
    }
}

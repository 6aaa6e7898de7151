import Roost

// The arguments are a file that does not exist yet, and the link.
let (file, link) = (CommandLine.arguments[1], CommandLine.arguments[2])
let replica = try await Replica.join(link, at: file, device: file)
let session = try LiveSession(replica)
let running = Task { await session.run() }
let container = try ObjectContainer(SpendingsSchema.self, stores: [.replica(replica)])
try container.viewContext.insert(Person.self).name = file
try container.viewContext.save("add the person of this device")
try await session.synced()
let list = try FetchedResultsController(FetchRequest<Person>(sortedBy: [.ascending(\.name)]), in: container.viewContext)
let updates = try list.updates()
print("In Lisbon:", try container.viewContext.fetch(list.request).map(\.name))
for try await _ in updates {
    print("In Lisbon:", try container.viewContext.fetch(list.request).map(\.name))
}

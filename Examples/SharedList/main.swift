import Roost

// shared-list FILE SERVER < ADMIN-TOKEN   makes the scope "Lisbon", and prints a link for others
// shared-list FILE LINK                   joins with that link
let (file, place) = (CommandLine.arguments[1], CommandLine.arguments[2])
let replica: Replica
if place.contains("#") {
    replica = try await Replica.join(place, at: file, device: file)
} else {
    replica = try Replica.create(at: file, schema: Schema(json: SpendingsSchema.text))
    try await replica.createScope(named: "Lisbon", on: place, adminToken: readLine() ?? "", device: file)
    print(try await replica.scope.invite())
}

let session = try LiveSession(replica)
let running = Task { await session.run() }
let container = try ObjectContainer(SpendingsSchema.self, stores: [.replica(replica)])
let context = container.viewContext
try context.insert(Person.self).name = file
try context.save("add the person of this device")
try await session.synced()

let list = try FetchedResultsController(FetchRequest<Person>(sortedBy: [.ascending(\.name)]), in: context)
try list.performFetch()
let updates = try list.updates()
print("In Lisbon:", try context.fetch(list.request).map(\.name))
for try await update in updates {
    print("In Lisbon:", try context.fetch(list.request).map(\.name), "by", update.origins)
}

import BenchmarkData
import Objects
import Replica

/// Paths of the object layer, in addition to the replica's costs.
extension HotPath {
    static let objects = [
        HotPath(
            name: "save-objects",
            help: "1,000 new objects of a context saved, each with all its attributes and a reference.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let work = Workplace.work()
            let stores = try StoreCoordinator(try place.makeReplica("replica", with: work.people))
            let contexts = try (0..<roundsMax).map { round in
                let context = ObjectContext(stores)
                let people = try context.fetch(FetchRequest("Person"))
                for (number, spending) in Workplace.spendings(work, round).enumerated() {
                    let object = try context.insert("Spending")
                    for (name, value) in spending.values where name != "person" { try object.set(name, to: value) }
                    try object.set("person", to: people[number % people.count])
                }
                return context
            }
            return { round in try contexts[round].save() }
        },
        HotPath(
            name: "fetch-objects", help: "1,000 objects fetched by a new context, with all their values.",
            unit: "record", unitsPerRound: Workplace.recordsPerRound
        ) { place in
            let work = Workplace.work()
            let replica = try place.makeReplica("replica", with: work.people)
            try LocalWork.write(work.spendings[...], to: replica)
            let stores = try StoreCoordinator(replica)
            let request = FetchRequest<ManagedObject>("Spending", limit: Workplace.recordsPerRound)
            return { _ in
                let objects = try ObjectContext(stores).fetch(request)
                guard objects.count == Workplace.recordsPerRound else {
                    throw BenchmarkError("A fetch gave \(objects.count) objects.")
                }
            }
        },
    ]
}

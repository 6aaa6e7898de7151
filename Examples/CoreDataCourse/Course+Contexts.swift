import Roost

extension Course {
    // MARK: Work in the background

    func workInTheBackground() async throws {
        heading("Work in the background")
        let names = ["Bob", "Carla"]
        let count = try await container.performBackgroundTask { context in
            for name in names { try context.insert(Person.self).name = name }
            return try context.save("import people").inserted.count
        }
        show("imported \(count), in the view: \(try context.count(FetchRequest<Person>()))")
    }

    // MARK: Batches

    func batches() throws {
        heading("Batches")
        try container.replica?.write("import tags") { transaction in
            for number in 1...1000 {
                let name = "tag \(number)"
                try transaction.put("Tag", id: RecordID(derivedFrom: ["tag", name]), ["name": .string(name)])
            }
        }
        let imported = FetchRequest<Tag>(where: (\Tag.Fields.name).beginsWith("tag "))
        show("inserted: \(try context.count(imported))")
        let renamed = try context.updateAll(
            FetchRequest<Tag>(where: \.name == "tag 1"), [.set(\.name, to: "tag one")])
        show("updated: \(renamed)")
        show("deleted: \(try context.deleteAll(imported, "delete imported tags"))")
    }

    // MARK: Merge policies

    func mergePolicies() throws {
        heading("Merge policies")
        let request = FetchRequest<Spending>(where: \.content == "Dinner")
        for (policy, amount) in [(MergePolicy.keepMine, 35_00), (.takeTheirs, 36_00)] {
            let (mine, other) = (container.newBackgroundContext(), container.newBackgroundContext())
            mine.mergePolicy = policy
            let dinner = try mine.fetch(request).first
            try other.fetch(request).first?.amount = 32_00
            try other.save("correct the dinner")
            dinner?.amount = Int64(amount)
            let report = try mine.save("correct the dinner")
            show("\(policy): \(dinner?.line ?? ""), \(report.conflicts.count) conflict")
        }
    }
}

import Predicates

// The fields that `roost generate swift` would write for the entities of PredicateWorld.

struct PersonFields: EntityFields {
    let path: String
    init(path: String) { self.path = path }

    var name: FieldPath<String> { attribute("name") }
    var nickname: FieldPath<String> { attribute("nickname") }
    var age: FieldPath<Int64> { attribute("age") }
    var weight: FieldPath<Double> { attribute("weight") }
    var active: FieldPath<Bool> { attribute("active") }
    var boss: PersonFields { toOne("boss") }
    var spendings: ManyFields<SpendingFields> { toMany("spendings") }
    var friends: ManyFields<PersonFields> { toMany("friends") }
}

struct SpendingFields: EntityFields {
    let path: String
    init(path: String) { self.path = path }

    var amount: FieldPath<Int64> { attribute("amount") }
    var rate: FieldPath<Double> { attribute("rate") }
    var note: FieldPath<String> { attribute("note") }
    var paid: FieldPath<Bool> { attribute("paid") }
    var person: PersonFields { toOne("person") }
    var tags: ManyFields<TagFields> { toMany("tags") }
}

struct TagFields: EntityFields {
    let path: String
    init(path: String) { self.path = path }

    var name: FieldPath<String> { attribute("name") }
    var weight: FieldPath<Int64> { attribute("weight") }
}

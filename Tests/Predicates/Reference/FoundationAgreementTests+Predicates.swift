import Foundation

extension FoundationAgreementTests {
    /// Every supported form, with the given values.
    static func predicates(_ constants: Constants) -> [Predicate<Member>] {
        values(constants) + optionals(constants) + relationships(constants)
    }

    private static func values(_ constants: Constants) -> [Predicate<Member>] {
        let (name, part, names) = (constants.name, constants.part, constants.names)
        let (age, ages, weight, weights) = (constants.age, constants.ages, constants.weight, constants.weights)
        return [
            #Predicate { $0.name == name }, #Predicate { $0.name != name }, #Predicate { $0.name < name },
            #Predicate { $0.name >= name }, #Predicate { $0.name.contains(part) },
            #Predicate { $0.name.starts(with: part) }, #Predicate { $0.name.isEmpty },
            #Predicate { names.contains($0.name) }, #Predicate { !names.contains($0.name) },
            #Predicate { $0.age > age }, #Predicate { $0.age <= age && $0.active },
            #Predicate { $0.age == age || !$0.active }, #Predicate { ages.contains($0.age) },
            #Predicate { (age...5).contains($0.age) }, #Predicate { (age..<5).contains($0.age) },
            #Predicate { $0.age * 2 - age > -$0.age + 1 }, #Predicate { $0.age / 2 == age },
            #Predicate { ($0.age + 1) / 3 >= $0.age - age }, #Predicate { $0.weight == weight },
            #Predicate { $0.weight < weight }, #Predicate { weights.contains($0.weight) },
            #Predicate { $0.weight * 2.0 + 1.0 >= weight }, #Predicate { $0.weight / 2.0 != weight },
            #Predicate { $0.active == ($0.age > age) }, #Predicate { $0.age > age ? $0.active : $0.weight > weight },
            #Predicate { !($0.age > age && $0.name < name) }, #Predicate { ($0.active ? $0.age : -$0.age) < age },
        ]
    }

    private static func optionals(_ constants: Constants) -> [Predicate<Member>] {
        let (name, part, nickname) = (constants.name, constants.part, constants.nickname)
        let (age, weight, seen) = (constants.age, constants.weight, constants.seen)
        return [
            #Predicate { $0.nickname == nil }, #Predicate { $0.nickname == nickname },
            #Predicate { $0.nickname != nickname }, #Predicate { ($0.nickname ?? part) == $0.name },
            #Predicate { ($0.nickname ?? $0.name) == name }, #Predicate { ($0.nickname ?? name) < $0.name },
            #Predicate { $0.nickname?.contains(part) == true }, #Predicate { $0.nickname?.contains(part) != true },
            #Predicate { $0.nickname?.contains(part) == false }, #Predicate { $0.nickname?.isEmpty ?? false },
            #Predicate { if let nickname = $0.nickname { nickname.starts(with: part) } else { $0.active } },
            #Predicate { $0.seen == nil || $0.seen! < seen }, #Predicate { ($0.seen ?? seen) > seen },
            #Predicate { $0.boss == nil }, #Predicate { $0.boss?.name == name }, #Predicate { $0.boss?.name != name },
            #Predicate { $0.boss?.boss?.name == nickname }, #Predicate { ($0.boss?.age ?? age) > $0.age },
            #Predicate { $0.boss?.active ?? false }, #Predicate { $0.boss?.active == nil },
            #Predicate { ($0.boss?.weight ?? weight) <= weight },
            #Predicate { if let boss = $0.boss { boss.age > age } else { false } },
            #Predicate { $0.boss?.nickname == nickname }, #Predicate { ($0.boss?.nickname ?? name) == name },
        ]
    }

    private static func relationships(_ constants: Constants) -> [Predicate<Member>] {
        let (name, age, part) = (constants.name, constants.age, constants.part)
        return [
            #Predicate { $0.friends.isEmpty }, #Predicate { $0.friends.count > 1 },
            #Predicate { $0.friends.contains { $0.age > age } }, #Predicate { $0.friends.allSatisfy { $0.age > age } },
            #Predicate { one in one.friends.contains { $0.age > one.age && $0.name.contains(part) } },
            #Predicate { $0.friends.filter { $0.active }.count == 1 },
            #Predicate { $0.friends.filter { $0.active }.filter { $0.age < age }.isEmpty },
            #Predicate { $0.friends.contains { $0.boss?.name == name } },
            #Predicate { $0.friends.allSatisfy { $0.friends.contains { $0.nickname == nil } } },
            #Predicate { $0.friends.filter { $0.nickname != name }.count >= $0.friends.count },
            #Predicate { ($0.boss?.friends.count ?? 0) > 1 }, #Predicate { $0.boss?.friends.isEmpty == true },
        ]
    }
}

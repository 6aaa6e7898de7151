internal import CekikapeyeModel
internal import CekikapeyeRules
internal import Objects
internal import RoostModel

extension Member {
    /// Copies an object's current values; `nil` if its identifier cannot be used in splits.
    init?(_ person: Person) {
        let id = person.objectID.record
        guard let personID = try? PersonID(bytes: id.bytes) else { return nil }
        self.init(id: id, personID: personID, name: person.name, isActive: person.active)
    }
}

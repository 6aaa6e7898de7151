internal import CekikapeyeModel
internal import CekikapeyeRules
internal import Objects
internal import RoostModel

extension Member {
    /// Takes an object as it is now; `nil` where splits cannot name it.
    init?(_ person: Person) {
        let id = person.objectID.record
        guard let personID = try? PersonID(bytes: id.bytes) else { return nil }
        self.init(id: id, personID: personID, name: person.name, isActive: person.active)
    }
}

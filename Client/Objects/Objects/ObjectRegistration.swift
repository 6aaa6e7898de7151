internal import RoostModel

/// What an object is made from. Only contexts have one.
public struct ObjectRegistration {
    let objectID: ObjectID
    let layout: EntityDescription
    let context: ObjectContext
    let values: [Value]
    let state: ObjectState
}

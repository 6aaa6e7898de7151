internal import RoostModel

/// The contents of a new object. Only contexts make one.
public struct ObjectRegistration {
    let objectID: ObjectID
    let layout: EntityDescription
    let context: ObjectContext
    let values: [Value]
    let state: ObjectState
}

internal import RoostProtocol

/// The protocol's two encodings; Hummingbird has a `MediaType` of its own.
typealias BodyType = RoostProtocol.MediaType

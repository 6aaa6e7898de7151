internal import RoostProtocol

/// The protocol's two encodings of a body.
typealias BodyType = RoostProtocol.MediaType

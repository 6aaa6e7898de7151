// What a program that uses the SDK speaks of: objects, the replica beneath them, and the values of both.
@_exported public import Objects
@_exported public import Replica
@_exported public import RoostModel

// The vocabulary of programs that use the SDK: objects, the replica beneath them, and the values of both.
@_exported public import Objects
@_exported public import Replica
@_exported public import RoostModel

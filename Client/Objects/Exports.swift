// Requests are made of predicates, so a program that imports the object layer has both.
@_exported public import Predicates

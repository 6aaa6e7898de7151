// Requests contain predicates, so importing the object layer imports Predicates as well.
@_exported public import Predicates

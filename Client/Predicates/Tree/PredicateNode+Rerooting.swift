extension PredicateNode {
    /// A variable that the predicate does not use.
    var freeVariable: String {
        let text = FormatWriter.text(of: self)
        var number = 1
        while text.contains("$each\(number)") { number += 1 }
        return "each\(number)"
    }

    /// Replaces the root of paths: those that start at `root` start at `other`.
    func rerooted(from root: PredicatePath.Root = .record, to other: PredicatePath.Root) -> PredicateNode {
        mapTerms { term in
            switch term {
            case .path(let path): .path(path.rerooted(from: root, to: other))
            case .count(let path): .count(path.rerooted(from: root, to: other))
            case .aggregate(let function, let path, let names):
                .aggregate(function, path.rerooted(from: root, to: other), of: names)
            case .subquery(let path, let variable, let node):
                .subquery(
                    path.rerooted(from: root, to: other), variable: variable, node.rerooted(from: root, to: other))
            case .constant, .list, .arithmetic, .text: nil
            }
        }
    }
}

extension PredicatePath {
    fileprivate func rerooted(from root: Root, to other: Root) -> PredicatePath {
        self.root == root ? PredicatePath(root: other, names, elements: elements) : self
    }
}

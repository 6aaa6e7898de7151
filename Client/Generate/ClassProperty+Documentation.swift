extension ClassProperty {
    /// The documentation of the property: its meaning, and the effect of deletes on it.
    var documentation: String {
        switch form {
        case .attribute(let attribute): attribute.documentation
        case .toOne(let relationship, let rule, let inverse): relationship.documentation(rule, inverse)
        case .single(let relationship, let inverse): relationship.documentation(single: inverse)
        case .several(let relationship, let inverse, _): relationship.documentation(inverse: inverse)
        }
    }

    /// The documentation of the method that adds to a to-many relationship.
    var adding: String {
        guard case .several(let relationship, let inverse, _) = form else { return "" }
        guard inverse?.kind == .toOne else {
            return
                "Adds an object to ``\(name)``, and this object to its \"\(relationship.inverse)\". One that is there stays."
        }
        guard relationship.orderedBy == nil else {
            return "Adds an object to ``\(name)`` as the last one: its \"\(relationship.inverse)\" becomes this object."
        }
        return "Adds an object to ``\(name)``: its \"\(relationship.inverse)\" becomes this object."
    }

    /// The documentation of the method that inserts into an ordered relationship.
    var inserting: String {
        "Puts an object where so many of the other ``\(name)`` come before it; one that is there is moved."
    }

    /// The documentation of the method that moves within an ordered relationship.
    var moving: String {
        "Moves one of the ``\(name)`` from one place to another, counted from 0."
    }

    /// The documentation of the method that removes from a to-many relationship.
    var removing: String {
        guard case .several(let relationship, let inverse, _) = form else { return "" }
        guard let inverse, inverse.kind == .toOne else {
            return "Removes an object from ``\(name)``, and this object from its \"\(relationship.inverse)\"."
        }
        return "Removes an object from ``\(name)``: its \"\(relationship.inverse)\" becomes nil"
            + (inverse.isOptional ? "." : ", and must be set before a save.")
    }
}

extension Attribute {
    fileprivate var documentation: String {
        "The attribute \"\(name)\"\(meaning). \(beginning)"
    }

    private var meaning: String {
        switch kind {
        case .date: ": a day, `YYYY-MM-DD`"
        case .timestamp: ": an instant, kept in whole milliseconds"
        case .json: ": JSON text"
        case .string, .integer, .double, .boolean, .uuid, .data: ""
        }
    }

    /// The sentence on the value of a new object.
    private var beginning: String {
        guard let value = defaultValue, value != .null else {
            return isOptional ? "Nil until it is set." : "Blank until it is set, which it must be before a save."
        }
        return switch (kind, value) {
        case (.string, .string(let text)), (.date, .string(let text)): "A new object has \(text.debugDescription)."
        case (.integer, .integer(let number)): "A new object has \(number)."
        case (.double, .double(let number)): "A new object has \(number)."
        case (.boolean, .boolean(let flag)): "A new object has \(flag)."
        default: "A new object has the schema's default."
        }
    }
}

extension Relationship {
    fileprivate func documentation(_ rule: ReferenceRules.Rule?, _ other: Relationship?) -> String {
        let place = other?.isSingle == true ? "as" : "among"
        return
            "The relationship \"\(name)\": its \"\(destination)\", which has this object \(place) its \"\(inverse)\". "
            + (isOptional ? "" : "It must be set before a save. ") + Self.effect(on: rule)
    }

    fileprivate func documentation(single other: Relationship?) -> String {
        "The relationship \"\(name)\": the \"\(destination)\" that has this object as its \"\(inverse)\"; of several, which devices "
            + "apart can make, the one with the greatest identifier. Setting it takes the others' \"\(inverse)\" away"
            + (other?.isOptional == false ? ", which they need before a save. " : ". ") + effectOnOne(other)
    }

    /// Returns the sentence on how deleting this object affects the objects that refer to it.
    private func effectOnOne(_ other: Relationship?) -> String {
        guard other?.isTree != true else { return "Deleting this object deletes it too." }
        return switch deleteRule {
        case .cascade: "Deleting this object deletes it too."
        case .nullify: "Deleting this object lets its \"\(inverse)\" read nil."
        case .deny: "This object cannot be deleted while there is one."
        case .noAction: "Deleting this object leaves it as it is."
        }
    }

    /// Returns the sentence on how deleting the other end affects this object.
    private static func effect(on rule: ReferenceRules.Rule?) -> String {
        guard rule?.isTree != true else {
            return
                "Deleting that deletes this object too. Nil also where devices apart made a cycle, and it was cut here."
        }
        return switch rule?.deleteRule ?? .nullify {
        case .nullify: "Nil also while that is deleted."
        case .cascade: "Deleting that deletes this object too."
        case .deny: "That cannot be deleted before this object. Nil also where that is not visible for another reason."
        case .noAction: "Nil also while that is deleted; the record goes on naming it."
        }
    }

    fileprivate func documentation(inverse other: Relationship?) -> String {
        let members =
            other?.kind == .toOne
            ? "each \"\(destination)\" that has this object as its \"\(inverse)\""
            : "each \"\(destination)\" linked with this object, which is among its \"\(inverse)\""
        let order = orderedBy.map { "In the order of their \"\($0)\", those without one last. " }
        return "The relationship \"\(name)\": \(members). \(order ?? "What was made later comes later. ")"
            + effect(on: other)
    }

    /// Returns the sentence on how deleting this object affects the other end.
    private func effect(on other: Relationship?) -> String {
        guard deleteRule != .deny else { return "This object cannot be deleted while there are any." }
        guard other?.kind == .toOne else { return "Deleting this object unlinks them." }
        guard other?.isTree != true else { return "Deleting this object deletes them too." }
        return switch deleteRule {
        case .cascade: "Deleting this object deletes them too."
        case .nullify, .deny: "Deleting this object lets their \"\(inverse)\" read nil."
        case .noAction: "Deleting this object leaves them as they are."
        }
    }
}

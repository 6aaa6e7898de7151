/// The program `library-catalogue`: `swift run library-catalogue` prints the catalogue.
@main enum LibraryCatalogueProgram {
    static func main() throws {
        print(try CatalogueStory.text())
    }
}

/// The program `spending-list`: `swift run spending-list` prints the story.
@main enum SpendingListProgram {
    static func main() throws {
        print(try SpendingStory.text())
    }
}

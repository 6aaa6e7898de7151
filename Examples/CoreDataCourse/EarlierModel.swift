/// The model's first version, in which a spending had a title and no currency.
enum EarlierModel {
    static let text = #"""
        {
          "format": 1, "name": "trip", "version": 1,
          "entities": [
            {
              "id": 1, "name": "Person",
              "attributes": [{"id": 1, "name": "name", "type": "string"}],
              "relationships": [
                {
                  "id": 2, "name": "spendings", "kind": "toMany", "destination": "Spending", "inverse": "person",
                  "deleteRule": "cascade"
                }
              ]
            },
            {
              "id": 2, "name": "Spending",
              "attributes": [
                {"id": 1, "name": "title", "type": "string"},
                {"id": 2, "name": "amount", "type": "integer"}
              ],
              "relationships": [
                {
                  "id": 6, "name": "person", "kind": "toOne", "destination": "Person", "inverse": "spendings",
                  "optional": false
                }
              ]
            }
          ]
        }
        """#
}

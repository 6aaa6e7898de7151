// A list that several browsers share, also while they are offline. Client/JavaScript/README.md explains each call.
import { entity, Replica } from "./roost.min.js";

const Item = entity("Item");
const find = (id) => document.getElementById(id);

/** Runs an action of the user, and shows why it failed. */
async function attempt(action) {
  find("alert").textContent = "";
  try {
    return await action();
  } catch (error) {
    find("alert").textContent = error.message;
  }
}

/** Opens the replica of this browser, or waits until its user joins with a link. */
async function open() {
  try {
    return await Replica.open({ name: "list" });
  } catch (error) {
    if (error.code !== "not_joined") throw error;
  }
  const form = find("join");
  form.hidden = false;
  return new Promise((resolve) => {
    form.onsubmit = async (event) => {
      event.preventDefault();
      const link = form.link.value.trim(), device = form.device.value.trim();
      const replica = await attempt(() => Replica.join(link, { name: "list", device }));
      if (replica === undefined) return;
      // The link is a secret.
      form.reset();
      form.hidden = true;
      resolve(replica);
    };
  });
}

/** Makes the row of an item. Its text is set as text, never as HTML. */
function row(replica, item) {
  const line = document.createElement("li");
  line.id = item.id;
  const box = document.createElement("input");
  box.type = "checkbox";
  const text = document.createElement("span");
  const remove = document.createElement("button");
  remove.textContent = "Delete";
  line.append(box, text, remove);
  box.onchange = () =>
    attempt(() => replica.write("Check", (tx) => tx.update(Item, item, { isDone: box.checked })));
  text.ondblclick = () => {
    const content = prompt("Item", text.textContent);
    if (content) attempt(() => replica.write("Edit", (tx) => tx.update(Item, item, { content })));
  };
  remove.onclick = () => attempt(() => replica.write("Delete", (tx) => tx.delete(Item, item)));
  return line;
}

function fill(line, item) {
  const [box, text, remove] = line.children;
  box.checked = item.isDone;
  box.setAttribute("aria-label", `Done: ${item.content}`);
  remove.setAttribute("aria-label", `Delete ${item.content}`);
  text.textContent = item.content;
  line.classList.toggle("done", item.isDone);
}

/** Keeps the page up to date: the difference says which rows to touch. */
async function show(replica) {
  const list = find("items");
  const options = { sortedBy: [(item) => item.added] };
  for await (const { difference, origin } of replica.observe(Item, options)) {
    for (const { id } of difference.removed) document.getElementById(id)?.remove();
    const placed = [...difference.inserted, ...difference.moved].sort((a, b) => a.index - b.index);
    for (const { record } of difference.moved) document.getElementById(record.id)?.remove();
    for (const { index, record } of placed) {
      const line = row(replica, record);
      fill(line, record);
      line.classList.toggle("remote", origin === "remote");
      list.insertBefore(line, list.children[index] ?? null);
    }
    for (const { record } of difference.updated) fill(document.getElementById(record.id), record);
  }
}

function describe({ state, error, pushError, pendingChanges, isPersisted }) {
  const texts = {
    upToDate: "Up to date.",
    synchronising: "Synchronising …",
    waiting: "Offline: it goes on by itself.",
    blocked: "It needs you:",
    otherTab: "Another tab synchronises.",
    stopped: "Stopped.",
  };
  const waiting = pendingChanges > 0 ? ` ${pendingChanges} not sent yet.` : "";
  const reason = state === "blocked" || pushError ? ` ${(error ?? pushError).message}` : "";
  return texts[state] + waiting + reason + (isPersisted === false ? " The browser may delete this copy." : "");
}

const replica = await attempt(open);
if (replica !== undefined) {
  find("title").textContent = replica.status().scopeName;
  find("list").hidden = false;
  find("add").onsubmit = (event) => {
    event.preventDefault();
    const field = event.target.content, content = field.value.trim();
    if (content === "") return;
    attempt(async () => {
      await replica.write("Add", (tx) => tx.insert(Item, { content, added: new Date() }));
      field.value = "";
    });
  };
  find("undo").onclick = () => attempt(() => replica.undo());
  find("redo").onclick = () => attempt(() => replica.redo());
  const report = () => find("status").textContent = describe(replica.status());
  replica.onStatus(report);
  report();
  await show(replica);
}

import { useMoralisQuery, useNewMoralisObject } from "@purse/react";
import { type FormEvent, useState } from "react";
import { Address } from "./Address";

type Note = { text: string; author: string };

export function Notes() {
  const [text, setText] = useState("");
  const { save, isSaving, error: saveError } = useNewMoralisObject<Note>("Note");
  const { data: notes, error } = useMoralisQuery<Note>(
    "Note",
    (query) => query.descending("createdAt").limit(20),
    [],
    // Notes of others appear as they are written, at the top.
    { live: true, onLiveCreate: (note, all) => [note, ...all] },
  );
  const problem = saveError ?? error;

  async function addNote(event: FormEvent) {
    event.preventDefault();
    if (await save({ text })) setText("");
  }

  return (
    <section aria-labelledby="notes">
      <h2 id="notes">Notes</h2>
      <form onSubmit={addNote}>
        <label>
          Text
          <input value={text} onChange={(event) => setText(event.target.value)} required />
        </label>
        <button type="submit" disabled={isSaving}>
          Add
        </button>
      </form>
      {problem && <p role="alert">{problem.message}</p>}
      <ul>
        {notes.map((note) => (
          <li key={note.id}>
            {note.get("text")} <Address value={note.get("author")} />
          </li>
        ))}
      </ul>
    </section>
  );
}

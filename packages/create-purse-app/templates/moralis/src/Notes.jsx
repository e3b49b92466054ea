import { useState } from "react";
import { useMoralisQuery, useNewMoralisObject } from "react-moralis";

export function Notes() {
  const [text, setText] = useState("");
  const { save, isSaving, error: saveError } = useNewMoralisObject("Note");
  const { data, error } = useMoralisQuery("Note", (query) => query.descending("createdAt").limit(20), [], {
    live: true,
    onLiveCreate: (note, all) => [note, ...all],
  });
  const problem = saveError ?? error;

  const addNote = (event) => {
    event.preventDefault();
    save({ text }, { onSuccess: () => setText("") });
  };

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
        {data.map((note) => (
          <li key={note.id}>
            {note.get("text")} <code>{note.get("author")?.slice(0, 6)}…</code>
          </li>
        ))}
      </ul>
    </section>
  );
}

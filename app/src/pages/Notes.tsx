import { ACL, ParseObject } from "@purse/client";
import { useMoralis, useMoralisQuery } from "@purse/react";
import { Link } from "@tanstack/react-router";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Button } from "../design/Button.tsx";
import { Field } from "../design/Field.tsx";
import { EmptyState, ErrorState, SkeletonList } from "../design/states.tsx";
import { useToast } from "../design/Toasts.tsx";
import { explain } from "../explain.ts";
import { usePageTitle } from "../usePageTitle.ts";

const MAX_TEXT = 280;

/** A list that shows what others write as they write it. */
export function Notes() {
  usePageTitle("Notes");
  const { user, isAuthenticated } = useMoralis();
  const notes = useMoralisQuery("Note", (query) => query.descending("createdAt").limit(100), [], {
    live: true,
    onLiveCreate: (note, all) => [note, ...all.filter((each) => each.id !== note.id)],
  });
  const fresh = useFreshIds(notes.data);
  const own = (note: ParseObject) => note.getACL()?.getWriteAccess(user?.id ?? "") ?? false;
  return (
    <>
      <div className="page-head">
        <h1>Notes</h1>
        <span className="small soft live">Live: changes show as they happen</span>
      </div>
      <div className="card stack">
        {isAuthenticated ? (
          <NewNote onSaved={() => void notes.fetch()} />
        ) : (
          <p className="notice">
            <span>
              <Link to="/sign-in" search={{ next: "/notes" }}>
                Sign in
              </Link>{" "}
              to write. You are reading what everyone may read.
            </span>
          </p>
        )}
        {notes.error ? (
          <ErrorState error={notes.error} retry={() => void notes.fetch()} />
        ) : notes.isLoading && notes.data.length === 0 ? (
          <SkeletonList label="Loading notes" />
        ) : notes.data.length === 0 ? (
          <EmptyState title="No notes yet">
            {isAuthenticated ? "Write the first one above." : "Sign in to write the first one."}
          </EmptyState>
        ) : (
          <ul className="list" aria-label="Notes">
            {notes.data.map((note) => (
              <NoteRow
                key={note.id}
                note={note}
                own={own(note)}
                fresh={fresh.has(note.id ?? "")}
                onChanged={() => void notes.fetch()}
              />
            ))}
          </ul>
        )}
      </div>
    </>
  );
}

function NewNote({ onSaved }: { onSaved: () => void }) {
  const { user } = useMoralis();
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  async function add(event: FormEvent) {
    event.preventDefault();
    if (!user) return;
    if (text.trim() === "") {
      setProblem("Write something first.");
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      const note = new ParseObject("Note", { text: text.trim(), done: false });
      const acl = new ACL(user);
      acl.setPublicReadAccess(true);
      note.setACL(acl);
      await note.save();
      setText("");
      onSaved();
    } catch (error) {
      const { title, detail } = explain(error);
      setProblem(`${title}. ${detail}`);
    } finally {
      setBusy(false);
    }
  }
  return (
    <form onSubmit={add} noValidate>
      <Field
        label="New note"
        value={text}
        maxLength={MAX_TEXT}
        onChange={(event) => setText(event.target.value)}
        problem={problem}
        placeholder="What is worth remembering?"
        after={
          <Button type="submit" look="primary" busy={busy}>
            Add
          </Button>
        }
      />
    </form>
  );
}

interface NoteRowProps {
  note: ParseObject;
  own: boolean;
  fresh: boolean;
  onChanged: () => void;
}

function NoteRow({ note, own, fresh, onChanged }: NoteRowProps) {
  const toast = useToast();
  const [edited, setEdited] = useState<string>();
  const text = String(note.get("text") ?? "");
  const done = note.get("done") === true;
  const author: unknown = note.get("author");

  async function change(fields: Record<string, string | boolean>) {
    try {
      await note.save(fields);
      setEdited(undefined);
      onChanged();
    } catch (error) {
      note.revert();
      const { title, detail } = explain(error);
      toast(`${title}. ${detail}`);
    }
  }

  async function remove() {
    const acl = note.getACL();
    try {
      await note.destroy();
      onChanged();
      toast("Note deleted", {
        label: "Undo",
        run: () => {
          const again = new ParseObject("Note", { text, done });
          if (acl) again.setACL(acl);
          void again.save().then(onChanged, (error: unknown) => toast(explain(error).detail));
        },
      });
    } catch (error) {
      toast(explain(error).detail);
    }
  }

  return (
    <li className="note" data-done={done} data-fresh={fresh}>
      <input
        type="checkbox"
        checked={done}
        disabled={!own}
        aria-label={`Done: ${text}`}
        onChange={(event) => void change({ done: event.target.checked })}
      />
      {edited === undefined ? (
        <span className="text">
          <span className="words">{text}</span>
          <span className="small soft" style={{ display: "block" }}>
            {typeof author === "string" ? author : "someone"}
          </span>
        </span>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void change({ text: edited.trim() });
          }}
        >
          <Field
            label="Text"
            value={edited}
            maxLength={MAX_TEXT}
            autoFocus
            onChange={(event) => setEdited(event.target.value)}
            onKeyDown={(event) => event.key === "Escape" && setEdited(undefined)}
            after={
              <Button type="submit" small look="primary">
                Save
              </Button>
            }
          />
        </form>
      )}
      {own && edited === undefined && (
        <span className="row" style={{ gap: 0 }}>
          <Button small look="quiet" onClick={() => setEdited(text)} aria-label={`Edit: ${text}`}>
            Edit
          </Button>
          <Button small look="quiet" onClick={() => void remove()} aria-label={`Delete: ${text}`}>
            Delete
          </Button>
        </span>
      )}
    </li>
  );
}

/** The ids of what came or changed since the list was first shown, for a moment. */
function useFreshIds(notes: readonly ParseObject[]): ReadonlySet<string> {
  const seen = useRef<Map<string, string> | undefined>(undefined);
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const now = new Map(notes.map((note) => [note.id ?? "", String(note.updatedAt?.getTime())]));
    const before = seen.current;
    if (now.size > 0) seen.current = now;
    if (!before) return;
    const changed = [...now].filter(([id, at]) => before.get(id) !== at).map(([id]) => id);
    if (changed.length === 0) return;
    setFresh(new Set(changed));
    const timer = setTimeout(() => setFresh(new Set()), 2_000);
    return () => clearTimeout(timer);
  }, [notes]);
  return fresh;
}

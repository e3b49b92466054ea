import type { JsonObject, JsonValue } from "@purse/protocol";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { StudioFailure } from "../../api.ts";
import { useStudio } from "../../StudioContext.tsx";
import type { PastedCell } from "./clipboard.ts";
import { type Draft, type Drafts, fieldsOf, withCells, withChange } from "./drafts.ts";

/** One change of a cell, as the panel of its row tells it. */
export interface DraftStep {
  objectId: string;
  field: string;
  from: JsonValue | undefined;
  to: JsonValue;
  /** In ms since the epoch. */
  at: number;
}

interface State {
  drafts: Drafts;
  /** How it was before each change, the latest last. */
  past: readonly Drafts[];
  steps: readonly DraftStep[];
}

const NOTHING: State = { drafts: new Map(), past: [], steps: [] };
/** Steps back that are kept. */
const MOST_STEPS = 200;
/** Rows that are saved side by side. */
const TOGETHER = 6;

/**
 * What was typed and is not saved yet. Saved together, each row by itself: what is refused stays, with the reason.
 * `onSaved` is told each row as the server has it then.
 */
export function useDrafts(className: string, onSaved: (row: JsonObject) => void) {
  const studio = useStudio();
  const [state, setState] = useState(NOTHING);
  const { drafts, past, steps } = state;

  function become(next: Drafts, more: readonly DraftStep[] = []): void {
    setState((before) => ({
      drafts: next,
      past: [...before.past, before.drafts].slice(-MOST_STEPS),
      steps: [...before.steps, ...more].slice(-MOST_STEPS),
    }));
  }

  function step(row: JsonObject, field: string, to: JsonValue): DraftStep {
    const objectId = String(row.objectId);
    const changes = drafts.get(objectId)?.changes;
    const from = changes && Object.hasOwn(changes, field) ? changes[field] : row[field];
    return { objectId, field, from, to, at: Date.now() };
  }

  const save = useMutation({
    async mutationFn(given: Drafts): Promise<void> {
      // What holds no value of its field waits until somebody has corrected it.
      const ready = [...given.values()].filter(({ refused }) => refused === undefined);
      for (let i = 0; i < ready.length; i += TOGETHER) {
        const some = ready.slice(i, i + TOGETHER);
        const left = await Promise.all(some.map(put));
        setState((before) => {
          const next = new Map(before.drafts);
          some.forEach(({ objectId }, at) => {
            const draft = left[at];
            if (draft) next.set(objectId, draft);
            else next.delete(objectId);
          });
          // What is saved is not gone back behind.
          return { ...before, drafts: next, past: [] };
        });
      }
    },
  });

  async function put(draft: Draft): Promise<Draft | undefined> {
    const { objectId, expectedUpdatedAt } = draft;
    try {
      const body = { fields: fieldsOf(draft), expectedUpdatedAt };
      onSaved(await studio.put<JsonObject>(`/data/${className}/rows/${objectId}`, body));
      return undefined;
    } catch (error) {
      if (!(error instanceof StudioFailure)) throw error;
      const { message: problem, current } = error;
      return { ...draft, problem, ...(current && { current }) };
    }
  }

  return {
    drafts,
    steps,
    change(row: JsonObject, field: string, value: JsonValue): void {
      become(withChange(drafts, row, field, value), [step(row, field, value)]);
    },
    /** All of a paste is one step. */
    paste(cells: readonly PastedCell[]): void {
      const next = withCells(
        drafts,
        cells.map(({ row, column: { name: field }, text, read }) =>
          read.problem === undefined
            ? { row, field, value: read.value }
            : { row, field, refused: { text, why: read.problem } },
        ),
      );
      const good = cells.flatMap(({ row, column, read }) =>
        read.problem === undefined ? [step(row, column.name, read.value)] : [],
      );
      become(next, good);
    },
    drop(): void {
      if (drafts.size > 0) become(new Map());
    },
    /** One step back; what is saved stays saved. */
    undo(): void {
      setState((before) => ({
        ...before,
        drafts: before.past.at(-1) ?? before.drafts,
        past: before.past.slice(0, -1),
      }));
    },
    canUndo: past.length > 0,
    replace(objectId: string, draft: Draft | undefined): void {
      const next = new Map(drafts);
      if (draft) next.set(objectId, draft);
      else next.delete(objectId);
      become(next);
    },
    /** The row has been changed from here, in what is no part of its draft. */
    follow({ objectId, updatedAt }: JsonObject): void {
      const draft = drafts.get(String(objectId));
      if (!draft) return;
      const next = new Map(drafts);
      next.set(draft.objectId, { ...draft, expectedUpdatedAt: String(updatedAt) });
      setState((before) => ({ ...before, drafts: next, past: [] }));
    },
    save: () => save.mutate(drafts),
    isSaving: save.isPending,
    error: save.error,
  };
}

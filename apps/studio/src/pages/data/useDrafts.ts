import { type JsonObject, type JsonValue, ownValue } from "@purse/protocol";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { StudioRequestError } from "../../api.ts";
import { useStudio } from "../../StudioContext.tsx";
import type { PastedCell } from "./clipboard.ts";
import { applyCells, applyChange, type Draft, type Drafts, toFields } from "./drafts.ts";

/** An edit of a cell, shown in the row panel. */
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
  /** Previous states for undo, latest last. */
  history: readonly Drafts[];
  steps: readonly DraftStep[];
}

const INITIAL_STATE: State = { drafts: new Map(), history: [], steps: [] };
/** Maximum number of undo steps. */
const MAX_STEPS = 200;
/** Maximum number of parallel requests. */
const MAX_PARALLEL_SAVES = 6;

/**
 * Unsaved changes of rows. Each row is saved by its own request; rejected rows stay with the error. `onSaved` is called
 * with each saved row.
 */
export function useDrafts(className: string, onSaved: (row: JsonObject) => void) {
  const studio = useStudio();
  const [state, setState] = useState(INITIAL_STATE);
  const { drafts, history, steps } = state;

  function setDrafts(next: Drafts, newSteps: readonly DraftStep[] = []): void {
    setState((before) => ({
      drafts: next,
      history: [...before.history, before.drafts].slice(-MAX_STEPS),
      steps: [...before.steps, ...newSteps].slice(-MAX_STEPS),
    }));
  }

  function step(row: JsonObject, field: string, to: JsonValue): DraftStep {
    const objectId = String(row.objectId);
    const changes = drafts.get(objectId)?.changes;
    const from = changes && Object.hasOwn(changes, field) ? changes[field] : ownValue(row, field);
    return { objectId, field, from, to, at: Date.now() };
  }

  const save = useMutation({
    async mutationFn(pendingDrafts: Drafts): Promise<void> {
      // Rows with invalid values are not saved.
      const ready = [...pendingDrafts.values()].filter(({ invalid }) => invalid === undefined);
      for (let i = 0; i < ready.length; i += MAX_PARALLEL_SAVES) {
        const batch = ready.slice(i, i + MAX_PARALLEL_SAVES);
        const remaining = await Promise.all(batch.map(put));
        setState((before) => {
          const next = new Map(before.drafts);
          batch.forEach(({ objectId }, at) => {
            const draft = remaining[at];
            if (draft) next.set(objectId, draft);
            else next.delete(objectId);
          });
          // Saved changes cannot be undone.
          return { ...before, drafts: next, history: [] };
        });
      }
    },
  });

  async function put(draft: Draft): Promise<Draft | undefined> {
    const { objectId, expectedUpdatedAt } = draft;
    try {
      const input = { className, objectId, fields: toFields(draft), expectedUpdatedAt };
      onSaved(await studio.put("/data/:className/rows/:objectId", input));
      return undefined;
    } catch (error) {
      if (!(error instanceof StudioRequestError)) throw error;
      const { message: problem, current } = error;
      return { ...draft, problem, ...(current && { current }) };
    }
  }

  return {
    drafts,
    steps,
    change(row: JsonObject, field: string, value: JsonValue): void {
      setDrafts(applyChange(drafts, row, field, value), [step(row, field, value)]);
    },
    /** A paste is one undo step. */
    paste(cells: readonly PastedCell[]): void {
      const next = applyCells(
        drafts,
        cells.map(({ row, column: { name: field }, text, parsed }) =>
          parsed.problem === undefined
            ? { row, field, value: parsed.value }
            : { row, field, invalid: { text, reason: parsed.problem } },
        ),
      );
      const validSteps = cells.flatMap(({ row, column, parsed }) =>
        parsed.problem === undefined ? [step(row, column.name, parsed.value)] : [],
      );
      setDrafts(next, validSteps);
    },
    discard(): void {
      if (drafts.size > 0) setDrafts(new Map());
    },
    /** Undoes one step; saved changes stay. */
    undo(): void {
      setState((before) => ({
        ...before,
        drafts: before.history.at(-1) ?? before.drafts,
        history: before.history.slice(0, -1),
      }));
    },
    canUndo: history.length > 0,
    replace(objectId: string, draft: Draft | undefined): void {
      const next = new Map(drafts);
      if (draft) next.set(objectId, draft);
      else next.delete(objectId);
      setDrafts(next);
    },
    /** Updates the base of a draft after its row was changed by a relation. */
    rebase({ objectId, updatedAt }: JsonObject): void {
      const draft = drafts.get(String(objectId));
      if (!draft) return;
      const next = new Map(drafts);
      next.set(draft.objectId, { ...draft, expectedUpdatedAt: String(updatedAt) });
      setState((before) => ({ ...before, drafts: next, history: [] }));
    },
    save: () => save.mutate(drafts),
    isSaving: save.isPending,
    error: save.error,
  };
}

import type { JsonObject, JsonValue } from "@purse/protocol";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { StudioFailure } from "../../api.ts";
import { useStudio } from "../../StudioContext.tsx";
import { type Draft, type Drafts, fieldsOf, withChange } from "./drafts.ts";

/** What was typed and is not saved yet. Saved together, each row by itself: what is refused stays, with the reason. */
export function useDrafts(className: string) {
  const studio = useStudio();
  const queries = useQueryClient();
  const [drafts, setDrafts] = useState<Drafts>(new Map());

  const save = useMutation({
    async mutationFn(given: Drafts): Promise<void> {
      let next: Drafts = given;
      for (const draft of given.values()) {
        const rest = new Map(next);
        const left = await put(draft);
        if (left) rest.set(draft.objectId, left);
        else rest.delete(draft.objectId);
        next = rest;
      }
      setDrafts(next);
      await queries.invalidateQueries({ queryKey: [`/data/${className}`] });
    },
  });

  async function put(draft: Draft): Promise<Draft | undefined> {
    const { objectId, expectedUpdatedAt } = draft;
    try {
      const body = { fields: fieldsOf(draft), expectedUpdatedAt };
      await studio.put(`/data/${className}/rows/${objectId}`, body);
      return undefined;
    } catch (error) {
      if (!(error instanceof StudioFailure)) throw error;
      const { message: problem, current } = error;
      return { ...draft, problem, ...(current && { current }) };
    }
  }

  return {
    drafts,
    change: (row: JsonObject, field: string, value: JsonValue) =>
      setDrafts((before) => withChange(before, row, field, value)),
    drop: () => setDrafts(new Map()),
    replace: (objectId: string, draft: Draft | undefined) =>
      setDrafts((before) => {
        const next = new Map(before);
        if (draft) next.set(objectId, draft);
        else next.delete(objectId);
        return next;
      }),
    save: () => save.mutate(drafts),
    isSaving: save.isPending,
    error: save.error,
  };
}

import { ownValue } from "@purse/protocol";
import { loadJson, saveJson } from "@purse/ui";
import { useState } from "react";
import { useOperator } from "../StudioContext.tsx";

type Texts = { readonly [field: string]: string };

/**
 * Texts that this operator has entered in this tab and may not have sent: `[texts, change]`. They are there again after another
 * page was opened or the tab was reloaded.
 */
export function useTabDraft<Draft extends Texts>(
  name: string,
  initial: Draft,
): [Draft, (changes: Partial<Draft>) => void] {
  const key = `purse:studio:draft:${name}:${useOperator().id}`;
  const [texts, setTexts] = useState<Draft>(() => ({ ...initial, ...storedTexts(key, initial) }));
  function change(changes: Partial<Draft>): void {
    setTexts((before) => {
      const after = { ...before, ...changes };
      saveJson(sessionStorage, key, after);
      return after;
    });
  }
  return [texts, change];
}

/** The stored texts of the fields of a draft. */
function storedTexts(key: string, initial: Texts): Texts {
  const stored = Object(loadJson(sessionStorage, key));
  const fields = Object.keys(initial).map((field) => [field, ownValue(stored, field)]);
  return Object.fromEntries(fields.filter(([, text]) => typeof text === "string"));
}

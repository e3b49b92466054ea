import { createContext, useContext } from "react";
import { createTexts, type Texts } from "./text.ts";

export const TextsContext = createContext<Texts>(createTexts("en"));

/** What the page says, in the reader's language: `const { t } = useTexts()`. */
export function useTexts(): Texts {
  return useContext(TextsContext);
}

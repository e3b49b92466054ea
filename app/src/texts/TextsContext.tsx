import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { chosenLanguage, keepLanguage, type Part } from "./languages.ts";
import { createTexts, loadTexts, type Texts } from "./text.ts";

export const TextsContext = createContext<Texts>(createTexts("en"));

/** What the page says, in the reader's language: `const { t } = useTexts()`. */
export function useTexts(): Texts {
  return useContext(TextsContext);
}

export interface LanguageChoice {
  /** The code of the chosen language; undefined goes by the browser's. */
  chosen: string | undefined;
  /** Takes effect at once and is kept in this browser. */
  choose(code: string | undefined): void;
}

const ChoiceContext = createContext<LanguageChoice>({ chosen: undefined, choose() {} });

export function useLanguageChoice(): LanguageChoice {
  return useContext(ChoiceContext);
}

/** Gives the texts to what is below it, beginning with those that are loaded already. */
export function TextsArea({ part, first, children }: { part: Part; first: Texts; children: ReactNode }) {
  const [texts, setTexts] = useState(first);
  const [chosen, setChosen] = useState(chosenLanguage);
  useEffect(() => {
    document.documentElement.lang = texts.language;
  }, [texts]);
  const choice = useMemo<LanguageChoice>(
    () => ({
      chosen,
      choose(code) {
        keepLanguage(code);
        setChosen(code);
        void loadTexts(part).then(setTexts);
      },
    }),
    [part, chosen],
  );
  return (
    <TextsContext value={texts}>
      <ChoiceContext value={choice}>{children}</ChoiceContext>
    </TextsContext>
  );
}

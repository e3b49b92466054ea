import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { type Namespace, storedLanguage, storeLanguage } from "./languages.ts";
import { createTranslator, loadTranslator, type Translator } from "./translator.ts";

export const TranslationContext = createContext<Translator>(createTranslator("en"));

/** What the page says, in the reader's language: `const { t } = useTranslation()`. */
export function useTranslation(): Translator {
  return useContext(TranslationContext);
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
export function TranslationProvider({
  namespace,
  initial,
  children,
}: {
  namespace: Namespace;
  initial: Translator;
  children: ReactNode;
}) {
  const [translator, setTranslator] = useState(initial);
  const [chosen, setChosen] = useState(storedLanguage);
  useEffect(() => {
    document.documentElement.lang = translator.language;
  }, [translator]);
  const choice = useMemo<LanguageChoice>(
    () => ({
      chosen,
      choose(code) {
        storeLanguage(code);
        setChosen(code);
        void loadTranslator(namespace).then(setTranslator);
      },
    }),
    [namespace, chosen],
  );
  return (
    <TranslationContext value={translator}>
      <ChoiceContext value={choice}>{children}</ChoiceContext>
    </TranslationContext>
  );
}

import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { type Catalogs, storedLanguage, storeLanguage } from "./languages.ts";
import { createTranslator, loadTranslator, type Translator } from "./translator.ts";

const TranslationContext = createContext<Translator>(createTranslator("en"));

/** The translator of the current language: `const { t } = useTranslation()`. */
export function useTranslation(): Translator {
  return useContext(TranslationContext);
}

export interface LanguageChoice {
  /** The code of the chosen language; undefined for the system language. */
  chosen: string | undefined;
  /** Applies and stores the language. */
  choose(code: string | undefined): void;
}

const ChoiceContext = createContext<LanguageChoice>({ chosen: undefined, choose() {} });

export function useLanguageChoice(): LanguageChoice {
  return useContext(ChoiceContext);
}

export interface TranslationProviderProps {
  /** The catalogs of the app. */
  catalogs: Catalogs;
  initial: Translator;
  children: ReactNode;
}

/** Provides translations to its children, starting with those already loaded. */
export function TranslationProvider({ catalogs, initial, children }: TranslationProviderProps) {
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
        void loadTranslator(catalogs).then(setTranslator);
      },
    }),
    [catalogs, chosen],
  );
  return (
    <TranslationContext value={translator}>
      <ChoiceContext value={choice}>{children}</ChoiceContext>
    </TranslationContext>
  );
}

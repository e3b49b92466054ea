import { useState } from "react";
import { Field } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { Ask } from "./Ask.tsx";

export interface TypedAskProps {
  title: string;
  about: string;
  verb: string;
  /** What has to be typed before it is done. */
  word: string;
  busy: boolean;
  error: unknown;
  onClose: () => void;
  onDo: () => void;
}

/** A question before something that loses data: it is done once its name is typed. */
export function TypedAsk({ word, onClose, ...ask }: TypedAskProps) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState("");
  return (
    <Ask {...ask} open danger onClose={onClose} disabled={typed !== word}>
      <Field
        label={t("Type {word} to go on", { word })}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </Ask>
  );
}

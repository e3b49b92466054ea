import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Field } from "../../../design/Field.tsx";
import { ErrorState, SkeletonList } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { countOf, type Target } from "./bulk.ts";

const WORD = "delete";

/** Asks first, by a word that is typed, with how many rows it is. */
export function DeleteRows({
  className,
  target,
  onDo,
  onClose,
}: {
  className: string;
  target: Target;
  onDo: (count: number) => void;
  onClose: () => void;
}) {
  const { t, count: say } = useTranslation();
  const [text, setText] = useState("");
  const matched = useMatched(className, target);
  const isReady = text.trim() === WORD && matched.data !== undefined && matched.data > 0;
  const [only] = "ids" in target ? target.ids : [];
  const isOne = "ids" in target && target.ids.length === 1;
  return (
    <Ask
      open
      danger
      onClose={onClose}
      title={isOne ? t("Delete {id}?", { id: only ?? "" }) : t("Delete rows of {name}?", { name: className })}
      about={t("You can take it back for twenty seconds, not later.")}
      verb={t("Delete")}
      disabled={!isReady}
      busy={false}
      onDo={() => {
        if (isReady && matched.data !== undefined) onDo(matched.data);
      }}
    >
      <Matched answer={matched}>
        {(n) => say(n, "{n} row will be deleted.", "{n} rows will be deleted.")}
      </Matched>
      <Field
        label={t("Type {word}", { word: WORD })}
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
        autoCapitalize="none"
      />
    </Ask>
  );
}

/** How many rows it is, by a dry run. */
export function useMatched(className: string, target: Target) {
  const studio = useStudio();
  return useQuery({
    queryKey: ["matched", className, target],
    queryFn: () => countOf(studio, className, target),
    retry: false,
    gcTime: 0,
  });
}

export function Matched({
  answer,
  children,
}: {
  answer: ReturnType<typeof useMatched>;
  children: (count: number) => string;
}) {
  const { t } = useTranslation();
  if (answer.error) return <ErrorState error={answer.error} retry={() => void answer.refetch()} />;
  if (answer.data === undefined) return <SkeletonList rows={1} label={t("Counting the rows")} />;
  return (
    <p role="status">
      <strong>{children(answer.data)}</strong>
    </p>
  );
}

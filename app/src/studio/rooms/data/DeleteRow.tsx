import { useState } from "react";
import { Field } from "../../../design/Field.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange } from "../parts/asking.ts";

const WORD = "delete";

/** Asks first, by a word that is typed: what is gone does not come back. */
export function DeleteRow({
  className,
  objectId,
  onDone,
  onClose,
}: {
  className: string;
  objectId: string;
  onDone: () => void;
  onClose: () => void;
}) {
  const { t } = useTexts();
  const studio = useStudio();
  const [text, setText] = useState("");
  const remove = useChange(() => studio.delete(`/data/${className}/rows/${objectId}`), t("The row is gone."));
  return (
    <Ask
      open
      danger
      onClose={onClose}
      title={t("Delete {id}?", { id: objectId })}
      about={t("This cannot be taken back.")}
      verb={t("Delete")}
      disabled={text.trim() !== WORD}
      busy={remove.isPending}
      error={remove.error}
      onDo={() => {
        if (text.trim() === WORD) remove.mutate(undefined, { onSuccess: onDone });
      }}
    >
      <Field
        label={t("Type {word}", { word: WORD })}
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
      />
    </Ask>
  );
}

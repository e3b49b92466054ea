import { Button } from "../../../design/Button.tsx";
import { Notice } from "../../../design/Status.tsx";
import { ErrorState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import type { Draft, Drafts } from "./drafts.ts";

/** What waits to be saved, what was refused, and what is in conflict. */
export function DraftBar({
  drafts,
  isSaving,
  error,
  onSave,
  onDrop,
  onConflict,
}: {
  drafts: Drafts;
  isSaving: boolean;
  error: unknown;
  onSave: () => void;
  onDrop: () => void;
  onConflict: (draft: Draft) => void;
}) {
  const { t, count } = useTexts();
  if (drafts.size === 0) return null;
  const all = [...drafts.values()];
  const refused = all.filter(({ problem }) => problem !== undefined);
  return (
    <>
      {error ? <ErrorState error={error} /> : null}
      <div className="data-tools" role="status">
        <span className="grow">
          {count(all.length, "{n} row is changed and not saved", "{n} rows are changed and not saved")}
        </span>
        <Button small onClick={onDrop} disabled={isSaving}>
          {t("Discard")}
        </Button>
        <Button small look="primary" busy={isSaving} onClick={onSave}>
          {t("Save changes")}
        </Button>
      </div>
      {refused.slice(0, 5).map((draft) => (
        <Notice
          key={draft.objectId}
          kind="warning"
          title={t("{id} was not saved", { id: draft.objectId })}
          action={
            draft.current && (
              <Button small onClick={() => onConflict(draft)}>
                {t("Compare")}
              </Button>
            )
          }
        >
          <bdi>{draft.problem}</bdi>
        </Notice>
      ))}
    </>
  );
}

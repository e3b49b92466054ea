import { Button } from "../../../design/Button.tsx";
import { Notice } from "../../../design/Status.tsx";
import { ErrorState } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { Draft, Drafts } from "./drafts.ts";

/** What waits to be saved, what was refused, and what is in conflict. */
export function DraftBar({
  drafts,
  isSaving,
  error,
  canUndo,
  onUndo,
  onSave,
  onDrop,
  onConflict,
}: {
  drafts: Drafts;
  isSaving: boolean;
  error: unknown;
  canUndo: boolean;
  onUndo: () => void;
  onSave: () => void;
  onDrop: () => void;
  onConflict: (draft: Draft) => void;
}) {
  const { t, count } = useTranslation();
  if (drafts.size === 0) return null;
  const all = [...drafts.values()];
  const problems = all.filter(({ problem }) => problem !== undefined);
  const bad = all.flatMap(({ objectId, refused }) =>
    Object.entries(refused ?? {}).map(([field, { text, why }]) => ({ objectId, field, text, why })),
  );
  const [first] = bad;
  return (
    <>
      {error ? <ErrorState error={error} /> : null}
      <div className="data-bar" data-kind="warning">
        <span className="grow" role="status">
          {count(all.length, "{n} row is changed and not saved", "{n} rows are changed and not saved")}
        </span>
        <Button small onClick={onUndo} disabled={isSaving || !canUndo}>
          {t("Undo")}
        </Button>
        <Button small onClick={onDrop} disabled={isSaving}>
          {t("Discard")}
        </Button>
        <Button
          small
          variant="primary"
          busy={isSaving}
          disabled={all.every(({ refused }) => refused !== undefined)}
          onClick={onSave}
        >
          {t("Save changes")}
        </Button>
      </div>
      {first && (
        <Notice
          kind="warning"
          title={count(
            bad.length,
            "{n} cell holds what it cannot; its row is not saved",
            "{n} cells hold what they cannot; their rows are not saved",
          )}
        >
          <bdi>{`${first.objectId}, ${first.field}: ${first.text.slice(0, 80)} — ${first.why}`}</bdi>
        </Notice>
      )}
      {problems.slice(0, 5).map((draft) => (
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

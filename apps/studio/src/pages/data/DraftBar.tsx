import { Button, ErrorState, Notice, useTranslation } from "@purse/ui";
import type { Draft, Drafts } from "./drafts.ts";

/** Unsaved changes, errors and conflicts. */
export function DraftBar({
  drafts,
  isSaving,
  error,
  canUndo,
  onUndo,
  onSave,
  onDiscard,
  onConflict,
}: {
  drafts: Drafts;
  isSaving: boolean;
  error: unknown;
  canUndo: boolean;
  onUndo: () => void;
  onSave: () => void;
  onDiscard: () => void;
  onConflict: (draft: Draft) => void;
}) {
  const { t } = useTranslation();
  if (drafts.size === 0) return null;
  const all = [...drafts.values()];
  const problems = all.filter(({ problem }) => problem !== undefined);
  const invalidCells = all.flatMap(({ objectId, invalid }) =>
    Object.entries(invalid ?? {}).map(([field, { text, reason }]) => ({ objectId, field, text, reason })),
  );
  const [first] = invalidCells;
  const problem = first?.reason ?? "";
  return (
    <>
      {error ? <ErrorState error={error} /> : null}
      <div className="data-bar" data-kind="warning">
        <span className="grow" role="status">
          {t("{n, plural, one {# row with unsaved changes} other {# rows with unsaved changes}}", {
            n: all.length,
          })}
        </span>
        <Button small onClick={onUndo} disabled={isSaving || !canUndo}>
          {t("Undo")}
        </Button>
        <Button small onClick={onDiscard} disabled={isSaving}>
          {t("Discard")}
        </Button>
        <Button
          small
          variant="primary"
          busy={isSaving}
          disabled={all.every(({ invalid }) => invalid !== undefined)}
          onClick={onSave}
        >
          {t("Save changes")}
        </Button>
      </div>
      {first && (
        <Notice
          kind="warning"
          title={t(
            "{n, plural, one {# cell has an invalid value; its row is not saved} other {# cells have invalid values; their rows are not saved}}",
            { n: invalidCells.length },
          )}
        >
          <bdi>{`${first.objectId}, ${first.field}: ${first.text.slice(0, 80)} — ${t(problem)}`}</bdi>
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

import { ConfirmDialog, ErrorState, SkeletonList, useTranslation } from "@purse/ui";
import { useQuery } from "@tanstack/react-query";
import { useStudio } from "../../StudioContext.tsx";
import { countMatching, type Target } from "./bulkChanges.ts";

const CONFIRMATION_TEXT = "delete";

export interface DeleteRowsProps {
  className: string;
  target: Target;
  onConfirm: (count: number) => void;
  onClose: () => void;
}

/** Confirms a deletion by typing a text; shows the number of rows. */
export function DeleteRows({ className, target, onConfirm, onClose }: DeleteRowsProps) {
  const { t } = useTranslation();
  const matchCount = useMatchCount(className, target);
  const [firstId] = "ids" in target ? target.ids : [];
  const isOne = "ids" in target && target.ids.length === 1;
  return (
    <ConfirmDialog
      open
      danger
      onClose={onClose}
      title={
        isOne ? t("Delete {id}?", { id: firstId ?? "" }) : t("Delete rows of {name}?", { name: className })
      }
      description={t("You can undo this for 20 seconds.")}
      confirmLabel={t("Delete")}
      confirmationText={CONFIRMATION_TEXT}
      disabled={!matchCount.data}
      onConfirm={() => matchCount.data && onConfirm(matchCount.data)}
    >
      <MatchCount query={matchCount}>
        {(n) => t("{n, plural, one {# row will be deleted.} other {# rows will be deleted.}}", { n })}
      </MatchCount>
    </ConfirmDialog>
  );
}

/** Counts the matching rows by a dry run. */
export function useMatchCount(className: string, target: Target) {
  const studio = useStudio();
  return useQuery({
    queryKey: ["matched", className, target],
    queryFn: () => countMatching(studio, className, target),
    retry: false,
    gcTime: 0,
  });
}

export interface MatchCountProps {
  query: ReturnType<typeof useMatchCount>;
  children: (count: number) => string;
}

export function MatchCount({ query, children }: MatchCountProps) {
  const { t } = useTranslation();
  if (query.error) return <ErrorState error={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined) return <SkeletonList rows={1} label={t("Counting rows…")} />;
  return (
    <p role="status">
      <strong>{children(query.data)}</strong>
    </p>
  );
}

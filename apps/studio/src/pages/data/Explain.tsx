import type { JsonObject } from "@purse/protocol";
import type { StudioExplain } from "@purse/server/studio-api";
import {
  Button,
  Code,
  Dialog,
  ErrorState,
  Notice,
  QueryState,
  SkeletonList,
  useToast,
  useTranslation,
} from "@purse/ui";
import { useMutation } from "@tanstack/react-query";
import { useStudioQuery } from "../../components/useStudioQuery.ts";
import { useHasRole, useStudio } from "../../StudioContext.tsx";
import type { RowQuery } from "./useRowPages.ts";

export interface ExplainProps {
  className: string;
  query: RowQuery;
  onClose: () => void;
}

/** The query plan and a suggested index. */
export function Explain({ className, query: { where, order }, onClose }: ExplainProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const toast = useToast();
  const canEdit = useHasRole("editor");
  const explainQuery = useStudioQuery("/data/:className/explain", { className, where, order });
  const index = explainQuery.data?.suggestedIndex;
  const createIndex = useMutation({
    mutationFn({ name, fields }: NonNullable<StudioExplain["suggestedIndex"]>) {
      const edit: JsonObject = { indexes: { [name]: fields } };
      return studio.put("/schema/classes/:className", { className, edit });
    },
    onSuccess: () => {
      toast(t("Index created"));
      return explainQuery.refetch();
    },
  });
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t("Query plan")}
      description={t("The database's plan for the current filters and sort order")}
    >
      <div className="stack">
        <QueryState
          query={explainQuery}
          label={t("Loading query plan…")}
          skeleton={<SkeletonList rows={4} label={t("Loading query plan…")} />}
        >
          {({ plan }) => (
            <>
              {index ? (
                <Notice
                  kind="info"
                  title={t("Suggested index: {name}", { name: index.name })}
                  action={
                    canEdit && (
                      <Button
                        small
                        variant="primary"
                        busy={createIndex.isPending}
                        onClick={() => createIndex.mutate(index)}
                      >
                        {t("Create index")}
                      </Button>
                    )
                  }
                >
                  <code>
                    {Object.entries(index.fields)
                      .map(([field, direction]) => (direction < 0 ? `-${field}` : field))
                      .join(", ")}
                  </code>
                </Notice>
              ) : (
                <Notice kind="ok" title={t("No index suggestions")} />
              )}
              {createIndex.error && <ErrorState error={createIndex.error} />}
              <Code label={t("Query plan")} text={JSON.stringify(plan, null, 2)} />
            </>
          )}
        </QueryState>
      </div>
    </Dialog>
  );
}

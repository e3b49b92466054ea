import type { JsonObject, StudioExplain } from "@purse/protocol";
import { useMutation } from "@tanstack/react-query";
import { Button } from "../../../design/Button.tsx";
import { Code } from "../../../design/Code.tsx";
import { Dialog } from "../../../design/Dialog.tsx";
import { QueryState } from "../../../design/QueryState.tsx";
import { Notice } from "../../../design/Status.tsx";
import { ErrorState, SkeletonList } from "../../../design/states.tsx";
import { useToast } from "../../../design/Toasts.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { useAnswer } from "../parts/asking.ts";
import type { Asked } from "./usePages.ts";

/** How the database finds the rows, and the index that it lacks. */
export function Explain({
  className,
  asked: { where, order },
  onClose,
}: {
  className: string;
  asked: Asked;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const studio = useStudio();
  const toast = useToast();
  const mayChange = useMay("editor");
  const explained = useAnswer<StudioExplain>(`/data/${className}/explain`, { query: { where, order } });
  const index = explained.data?.suggestedIndex;
  const make = useMutation({
    mutationFn({ name, fields }: NonNullable<StudioExplain["suggestedIndex"]>) {
      const edit: JsonObject = { indexes: { [name]: fields } };
      return studio.put(`/schema/classes/${encodeURIComponent(className)}`, { edit });
    },
    onSuccess: () => {
      toast(t("The index is made."));
      return explained.refetch();
    },
  });
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={t("How the rows are found")}
      description={t("What the database plans for these filters and this order.")}
    >
      <div className="stack">
        <QueryState
          query={explained}
          label={t("Asking the database")}
          skeleton={<SkeletonList rows={4} label={t("Asking the database")} />}
        >
          {({ plan }) => (
            <>
              {index ? (
                <Notice
                  kind="info"
                  title={t("An index would help: {name}", { name: index.name })}
                  action={
                    mayChange && (
                      <Button
                        small
                        variant="primary"
                        busy={make.isPending}
                        onClick={() => make.mutate(index)}
                      >
                        {t("Make the index")}
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
                <Notice kind="ok" title={t("No other index would help.")} />
              )}
              {make.error && <ErrorState error={make.error} />}
              <Code label={t("The plan")} text={JSON.stringify(plan, null, 2)} />
            </>
          )}
        </QueryState>
      </div>
    </Dialog>
  );
}

import type { JsonObject, StudioSchemaPreview } from "@purse/protocol";
import { useQuery } from "@tanstack/react-query";
import { Code } from "../../../design/Code.tsx";
import { ErrorState, SkeletonList } from "../../../design/states.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "./Ask.tsx";
import { useChange } from "./asking.ts";
import "./SchemaDiff.css";

export interface SchemaDiffProps {
  className: string;
  edit: JsonObject;
  /** The class is to be made. */
  isNew?: boolean;
  /** Told once it is done. */
  said: string;
  onClose: () => void;
  onDone: () => void;
}

/** What a change of a class would do, told by the code that does it; and then does it. */
export function SchemaDiff({ className, edit, isNew = false, said, onClose, onDone }: SchemaDiffProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const path = `/schema/classes/${encodeURIComponent(className)}`;
  const apply = useChange(() => (isNew ? studio.post(path, { edit }) : studio.put(path, { edit })), said);
  const preview = useQuery({
    queryKey: [path, "preview", edit],
    queryFn: () => studio.post<StudioSchemaPreview>(`${path}/preview`, { edit }),
    // What is carried out is not looked at again.
    enabled: !apply.isPending && !apply.isSuccess,
    retry: false,
    gcTime: 0,
  });
  const lines = preview.data?.lines ?? [];
  const isLossy = lines.some((line) => line.startsWith("- ") && line.endsWith("with its values"));
  return (
    <Ask
      open
      wide
      onClose={onClose}
      title={isNew ? t("Create {name}?", { name: className }) : t("Change {name}?", { name: className })}
      about={isLossy ? t("Values of fields that go cannot be brought back.") : t("This is what changes:")}
      verb={isNew ? t("Create") : t("Apply")}
      danger={isLossy}
      busy={apply.isPending}
      error={apply.error}
      disabled={lines.length === 0}
      onDo={() => apply.mutate(undefined, { onSuccess: onDone })}
    >
      {preview.isPending && <SkeletonList label={t("Looking at what changes")} rows={2} />}
      {preview.error && <ErrorState error={preview.error} retry={() => void preview.refetch()} />}
      {preview.data && (
        <>
          {lines.length === 0 && <p className="soft">{t("Nothing changes.")}</p>}
          {lines.length > 0 && (
            <ul className="diff" aria-label={t("Changes")}>
              {lines.map((line) => (
                <li key={line} data-kind={line.slice(0, 1)}>
                  {line}
                </li>
              ))}
            </ul>
          )}
          <Code label={t("The class in purse.config.ts")} text={preview.data.code} />
        </>
      )}
    </Ask>
  );
}

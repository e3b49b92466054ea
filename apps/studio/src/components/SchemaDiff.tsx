import type { JsonObject } from "@purse/protocol";
import { Code, ErrorState, MutationDialog, SkeletonList, useTranslation } from "@purse/ui";
import { useQuery } from "@tanstack/react-query";
import { PermissionPreview } from "../pages/permissions/PermissionPreview.tsx";
import { useStudio } from "../StudioContext.tsx";
import { useStudioMutation } from "./useStudioQuery.ts";
import "./SchemaDiff.css";

export interface SchemaDiffProps {
  className: string;
  edit: JsonObject;
  /** Creates the class. */
  isNew?: boolean;
  /** Toast after success. */
  successMessage: string;
  onClose: () => void;
  onDone: () => void;
}

/** Previews a schema change as the server would apply it, then applies it. */
export function SchemaDiff({
  className,
  edit,
  isNew = false,
  successMessage,
  onClose,
  onDone,
}: SchemaDiffProps) {
  const { t } = useTranslation();
  const studio = useStudio();
  const input = { className, edit };
  const apply = useStudioMutation(
    (studio) =>
      isNew
        ? studio.post("/schema/classes/:className", input)
        : studio.put("/schema/classes/:className", input),
    successMessage,
  );
  const preview = useQuery({
    queryKey: ["preview", input],
    queryFn: () => studio.post("/schema/classes/:className/preview", input),
    // Once applied, the preview is not fetched again.
    enabled: !apply.isPending && !apply.isSuccess,
    retry: false,
    gcTime: 0,
  });
  const lines = preview.data?.lines ?? [];
  const isLossy = lines.some((line) => line.startsWith("- ") && line.endsWith("with its values"));
  return (
    <MutationDialog
      wide
      onClose={onClose}
      title={
        isNew ? t("Create {name}?", { name: className }) : t("Apply changes to {name}?", { name: className })
      }
      description={
        isLossy
          ? t("Values of deleted fields can't be recovered.")
          : t("The following changes will be applied:")
      }
      confirmLabel={isNew ? t("Create") : t("Apply")}
      danger={isLossy}
      mutation={apply}
      onDone={onDone}
      disabled={lines.length === 0}
    >
      {preview.isPending && <SkeletonList label={t("Loading changes…")} rows={2} />}
      {preview.error && <ErrorState error={preview.error} retry={() => void preview.refetch()} />}
      {preview.data && (
        <>
          {lines.length === 0 && <p className="soft">{t("No changes")}</p>}
          {lines.length > 0 && (
            <ul className="diff" aria-label={t("Changes")}>
              {lines.map((line) => (
                <li key={line} data-kind={line.slice(0, 1)}>
                  {line}
                </li>
              ))}
            </ul>
          )}
          {lines.some((line) => isPermission(line, className)) && (
            <PermissionPreview
              permissions={preview.data.classLevelPermissions}
              ownsNewObjects={preview.data.ownsNewObjects}
            />
          )}
          <Code label={t("Class in purse.config.ts")} text={preview.data.code} />
        </>
      )}
    </MutationDialog>
  );
}

/** Whether a line of a preview changes a permission: `+ Game permission find {"*":true}`. */
function isPermission(line: string, className: string): boolean {
  return line.slice(2).startsWith(`${className} permission `);
}

import type { JsonObject } from "@purse/protocol";
import { Detail, DetailList, useTranslation } from "@purse/ui";
import { EffectBadge } from "./EffectBadge.tsx";
import { NewObjects } from "./NewObjects.tsx";
import { effectOf, OPERATIONS } from "./permissionMatrix.ts";
import "./permissions.css";

export interface PermissionPreviewProps {
  permissions: JsonObject;
  ownsNewObjects: boolean;
}

/** Shows who may do what with a class after a change. */
export function PermissionPreview({ permissions, ownsNewObjects }: PermissionPreviewProps) {
  const { t } = useTranslation();
  return (
    <section className="stack tight" aria-label={t("Access after the change")}>
      <DetailList>
        {OPERATIONS.map((operation) => (
          <Detail key={operation} label={<code>{operation}</code>}>
            <EffectBadge effect={effectOf(permissions, operation)} />
          </Detail>
        ))}
      </DetailList>
      <NewObjects permissions={permissions} ownsNewObjects={ownsNewObjects} roles={undefined} />
    </section>
  );
}

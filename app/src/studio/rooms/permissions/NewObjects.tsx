import type { JsonObject } from "@purse/protocol";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { asObject } from "../parts/fields.ts";
import { Section } from "../parts/Room.tsx";
import { useWho } from "./who.tsx";

/** The ACL that objects get which bring none. */
export function NewObjects({
  permissions,
  roles,
}: {
  permissions: JsonObject;
  roles: readonly string[] | undefined;
}) {
  const { t } = useTranslation();
  const acl = Object.entries(asObject(permissions.ACL) ?? {});
  const whoIs = useWho(
    acl.map(([who]) => who).filter((who) => who !== "currentUser"),
    roles,
  );
  return (
    <Section title={t("New objects")}>
      <p className="soft">
        {acl.length === 0
          ? t("An object that brings no ACL gets none: whoever the matrix lets do so reads and changes it.")
          : t("An object that brings no ACL gets this one:")}
      </p>
      {acl.length > 0 && (
        <dl className="facts">
          {acl.map(([who, rights]) => {
            const { read, write } = asObject(rights) ?? {};
            const may = [read === true && t("read"), write === true && t("write")].filter(Boolean);
            return (
              <div key={who} className="fact">
                <dt>
                  <bdi>{who === "currentUser" ? t("Whoever creates it") : whoIs(who).label}</bdi>
                </dt>
                <dd>{may.join(", ") || t("nothing")}</dd>
              </div>
            );
          })}
        </dl>
      )}
    </Section>
  );
}

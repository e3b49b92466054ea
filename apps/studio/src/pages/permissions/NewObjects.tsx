import type { JsonObject } from "@purse/protocol";
import { Detail, DetailList, useTranslation } from "@purse/ui";
import { asObject } from "../../components/fields.ts";
import { Section } from "../../components/Page.tsx";
import { useSubjects } from "./subjects.tsx";

export interface NewObjectsProps {
  permissions: JsonObject;
  /** Whether objects that clients create belong to them, although the class has no default ACL. */
  ownsNewObjects?: boolean | undefined;
  roles: readonly string[] | undefined;
}

/** Shows the default ACL of new objects. */
export function NewObjects({ permissions, ownsNewObjects = false, roles }: NewObjectsProps) {
  const { t } = useTranslation();
  const acl = Object.entries(asObject(permissions.ACL) ?? {});
  const subjectOf = useSubjects(
    acl.map(([subject]) => subject).filter((subject) => subject !== "currentUser"),
    roles,
  );
  return (
    <Section title={t("New objects")}>
      <p className="soft">
        {permissions.ACL !== undefined
          ? acl.length === 0
            ? t("Objects that don't set an ACL are for operators only.")
            : t("Default ACL for objects that don't set one:")
          : ownsNewObjects
            ? t(
                "Objects that users create without an ACL are private to them. Those of anonymous users are for operators only, and those of operators are controlled by the class permissions.",
              )
            : t(
                "New objects have no ACL unless they set one. Access is controlled by the class permissions.",
              )}
      </p>
      {acl.length > 0 && (
        <DetailList>
          {acl.map(([subject, permissions]) => {
            const { read, write } = asObject(permissions) ?? {};
            const rights = [read === true && t("read"), write === true && t("write")].filter(Boolean);
            return (
              <Detail
                key={subject}
                label={<bdi>{subject === "currentUser" ? t("Creator") : subjectOf(subject).label}</bdi>}
              >
                {rights.join(", ") || t("nothing")}
              </Detail>
            );
          })}
        </DetailList>
      )}
    </Section>
  );
}

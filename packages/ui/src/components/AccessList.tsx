import { X } from "lucide-react";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import "./AccessList.css";
import { IconButton } from "./IconButton.tsx";
import { Checkbox } from "./SwitchAndCheckbox.tsx";

/** What a user, a role or everyone may do with an object. */
export interface AccessGrant {
  /** `*` for everyone, `role:Name` for a role, otherwise a user ID. */
  who: string;
  read: boolean;
  write: boolean;
}

export interface AccessListProps {
  grants: readonly AccessGrant[];
  /** Replaces the grant of the same subject. */
  onChange: (grant: AccessGrant) => void;
  onRemove: (who: string) => void;
  /** ID of the signed-in user. */
  userId?: string | undefined;
}

/** The grants of an ACL. */
export function AccessList({ grants, onChange, onRemove, userId }: AccessListProps) {
  const { t } = useTranslation();
  const nameOf = (who: string) =>
    who === "*"
      ? t("Public")
      : who === userId
        ? t("You")
        : who.startsWith("role:")
          ? t("Role {name}", { name: who.slice("role:".length) })
          : who;
  return (
    <ul className="access-list" aria-label={t("Permissions")}>
      {grants.map((grant) => (
        <li key={grant.who}>
          <bdi className="clip">{nameOf(grant.who)}</bdi>
          {(["read", "write"] as const).map((permission) => (
            <Checkbox
              key={permission}
              label={
                <>
                  {permission === "read" ? t("Read") : t("Write")}
                  <span className="visually-hidden"> {nameOf(grant.who)}</span>
                </>
              }
              checked={grant[permission]}
              onChange={(is) => onChange({ ...grant, [permission]: is })}
            />
          ))}
          {(grant.who !== "*" || grant.read || grant.write) && (
            <IconButton
              icon={X}
              label={t("Remove {name}", { name: nameOf(grant.who) })}
              onClick={() => onRemove(grant.who)}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

import { useTranslation } from "@purse/ui";
import { Globe, type LucideIcon, MousePointer2, User, UserCheck, UsersRound } from "lucide-react";
import { useUserNames } from "../../components/Combobox.tsx";
import { EVERYONE, FIELD, ROLE, SIGNED_IN } from "./permissionMatrix.ts";

/** Subject keys that are used in `protectedFields` only. */
export const AUTHENTICATED = "authenticated";
export const USER_FIELD = "userField:";

export interface Subject {
  key: string;
  label: string;
  description?: string;
  icon: LucideIcon;
}

/** Describes subject keys; users are shown by name. */
export function useSubjects(
  keys: readonly string[],
  roles: readonly string[] | undefined,
): (key: string) => Subject {
  const { t } = useTranslation();
  const users = useUserNames(keys.filter(isUser));
  return (key) => {
    if (key === EVERYONE)
      return { key, label: t("Everyone"), description: t("signed in or not"), icon: Globe };
    if (key === SIGNED_IN || key === AUTHENTICATED)
      return { key, label: t("Authenticated"), icon: UserCheck };
    if (key.startsWith(ROLE)) {
      const name = key.slice(ROLE.length);
      const isMissing = roles !== undefined && !roles.includes(name);
      return { key, label: name, description: isMissing ? t("no such role") : t("role"), icon: UsersRound };
    }
    for (const prefix of [FIELD, USER_FIELD]) {
      if (!key.startsWith(prefix)) continue;
      return { key, label: key.slice(prefix.length), description: t("pointer"), icon: MousePointer2 };
    }
    const name = users.get(key);
    return { key, label: name ?? key, description: name === undefined ? t("user") : key, icon: User };
  };
}

function isUser(key: string): boolean {
  return ![EVERYONE, SIGNED_IN, AUTHENTICATED].includes(key) && !key.includes(":");
}

export function SubjectHeading({ subject: { label, description, icon: Icon } }: { subject: Subject }) {
  return (
    <span className="who">
      <Icon size={17} aria-hidden="true" />
      <span>
        <bdi title={label}>{label}</bdi>
        {description !== undefined && <span className="soft small">{description}</span>}
      </span>
    </span>
  );
}

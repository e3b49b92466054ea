import { Globe, type LucideIcon, MousePointer2, User, UserCheck, UsersRound } from "lucide-react";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useUserNames } from "../parts/Finder.tsx";
import { EVERYONE, FIELD, ROLE, SIGNED_IN } from "./permissions.ts";

/** Keys of protected fields for the same. */
export const AUTHENTICATED = "authenticated";
export const USER_FIELD = "userField:";

export interface Who {
  key: string;
  label: string;
  about?: string;
  icon: LucideIcon;
}

/** What keys of permissions mean, in words; users by their names. */
export function useWho(keys: readonly string[], roles: readonly string[] | undefined): (key: string) => Who {
  const { t } = useTranslation();
  const users = useUserNames(keys.filter(isUser));
  return (key) => {
    if (key === EVERYONE) return { key, label: t("Everyone"), about: t("signed in or not"), icon: Globe };
    if (key === SIGNED_IN || key === AUTHENTICATED) return { key, label: t("Signed in"), icon: UserCheck };
    if (key.startsWith(ROLE)) {
      const name = key.slice(ROLE.length);
      const isGone = roles !== undefined && !roles.includes(name);
      return { key, label: name, about: isGone ? t("no such role") : t("role"), icon: UsersRound };
    }
    for (const start of [FIELD, USER_FIELD]) {
      if (!key.startsWith(start)) continue;
      return {
        key,
        label: key.slice(start.length),
        about: t("pointer"),
        icon: MousePointer2,
      };
    }
    const name = users.get(key);
    return { key, label: name ?? key, about: name === undefined ? t("user") : key, icon: User };
  };
}

function isUser(key: string): boolean {
  return ![EVERYONE, SIGNED_IN, AUTHENTICATED].includes(key) && !key.includes(":");
}

export function WhoHead({ who: { label, about, icon: Sign } }: { who: Who }) {
  return (
    <span className="who">
      <Sign size={17} aria-hidden="true" />
      <span>
        <bdi title={label}>{label}</bdi>
        {about !== undefined && <span className="soft small">{about}</span>}
      </span>
    </span>
  );
}

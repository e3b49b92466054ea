import { useTranslation } from "@purse/ui";
import { Globe, Lock, ShieldCheck, UserCheck, UsersRound } from "lucide-react";
import type { Effect } from "./permissionMatrix.ts";

const ICONS = { everyone: Globe, signedIn: UserCheck, some: UsersRound, nobody: Lock } as const;

export interface EffectBadgeProps {
  effect: Effect;
  isCompact?: boolean;
  /** For system classes: the server's own rules apply even where the class permissions are public. */
  hasOwnRules?: boolean;
}

/** A badge that summarizes who can use an operation. */
export function EffectBadge({ effect, isCompact = false, hasOwnRules = false }: EffectBadgeProps) {
  const { t } = useTranslation();
  if (hasOwnRules && effect.kind === "everyone") {
    return (
      <span
        className="effect"
        data-kind="rules"
        data-short={isCompact || undefined}
        title={t("No class permission restricts it. The server's own rules for this class apply.")}
      >
        <ShieldCheck size={15} aria-hidden="true" />
        <span>{t("Server rules")}</span>
      </span>
    );
  }
  const Icon = ICONS[effect.kind];
  return (
    <span className="effect" data-kind={effect.kind} data-short={isCompact || undefined} title={fullText()}>
      <Icon size={15} aria-hidden="true" />
      <span>{shortText()}</span>
    </span>
  );

  function shortText(): string {
    if (effect.kind === "everyone") return t("Everyone");
    if (effect.kind === "signedIn") return t("Authenticated");
    if (effect.kind === "nobody") return t("Master key only");
    const { roles, users, fields } = effect;
    const [role] = roles;
    if (roles.length === 1 && role !== undefined && users.length + fields.length === 0) return role;
    return [
      roles.length > 0 && t("{n, plural, one {# role} other {# roles}}", { n: roles.length }),
      users.length > 0 && t("{n, plural, one {# user} other {# users}}", { n: users.length }),
      fields.length > 0 && fields.join(", "),
    ]
      .filter(Boolean)
      .join(" + ");
  }

  function fullText(): string {
    if (effect.kind !== "some") return shortText();
    const { roles, users, fields } = effect;
    return [
      ...roles.map((role) => t("role {name}", { name: role })),
      ...users.map((user) => t("user {name}", { name: user })),
      ...fields.map((field) => t("users in {field}", { field })),
    ].join(", ");
  }
}

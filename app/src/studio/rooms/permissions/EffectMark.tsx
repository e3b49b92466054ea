import { Globe, Lock, ShieldCheck, UserCheck, UsersRound } from "lucide-react";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import type { Effect } from "./permissions.ts";

const SIGNS = { everyone: Globe, signedIn: UserCheck, some: UsersRound, nobody: Lock } as const;

export interface EffectMarkProps {
  effect: Effect;
  isShort?: boolean;
  /** Of a class with rules of the server: what its permissions leave open is not open to everyone by that. */
  hasOwnRules?: boolean;
}

/** Who an operation is open to, in a word or two and with a sign. */
export function EffectMark({ effect, isShort = false, hasOwnRules = false }: EffectMarkProps) {
  const { t, count } = useTranslation();
  if (hasOwnRules && effect.kind === "everyone") {
    return (
      <span
        className="effect"
        data-kind="rules"
        data-short={isShort || undefined}
        title={t("No class permission restricts it. The server's own rules for this class apply.")}
      >
        <ShieldCheck size={15} aria-hidden="true" />
        <span>{t("Server rules")}</span>
      </span>
    );
  }
  const Sign = SIGNS[effect.kind];
  return (
    <span className="effect" data-kind={effect.kind} data-short={isShort || undefined} title={whole()}>
      <Sign size={15} aria-hidden="true" />
      <span>{short()}</span>
    </span>
  );

  function short(): string {
    if (effect.kind === "everyone") return t("Everyone");
    if (effect.kind === "signedIn") return t("Signed in");
    if (effect.kind === "nobody") return t("Server alone");
    const { roles, users, fields } = effect;
    const [role] = roles;
    if (roles.length === 1 && role !== undefined && users.length + fields.length === 0) return role;
    return [
      roles.length > 0 && count(roles.length, "{n} role", "{n} roles"),
      users.length > 0 && count(users.length, "{n} user", "{n} users"),
      fields.length > 0 && fields.join(", "),
    ]
      .filter(Boolean)
      .join(" + ");
  }

  function whole(): string {
    if (effect.kind !== "some") return short();
    const { roles, users, fields } = effect;
    return [
      ...roles.map((role) => t("role {name}", { name: role })),
      ...users.map((user) => t("user {name}", { name: user })),
      ...fields.map((field) => t("whom {field} points to", { field })),
    ].join(", ");
  }
}

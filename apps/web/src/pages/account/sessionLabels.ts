import type { OwnSession } from "@purse/react";
import type { Translator } from "@purse/ui";

/** The auth provider of a session: `password`, `moralisEth` for a wallet, or another one. */
export function providerOf({ createdWith }: OwnSession): string {
  return stringField(createdWith, "authProvider");
}

/** How the user signed in: "with password", "with wallet", "with google". */
export function signInMethodOf(session: OwnSession, { t }: Pick<Translator, "t">): string {
  const provider = providerOf(session);
  const action = stringField(session.createdWith, "action");
  if (provider === "password") return t("with password");
  if (provider === "moralisEth") return t("with wallet");
  if (provider === "moralisSol") return t("with Solana wallet");
  if (provider === "passkey") return t("with passkey");
  if (provider === "masterkey") return t("by an operator");
  if (provider !== "") return t("with {provider}", { provider });
  return action === "create" || action === "upgrade" ? t("from another session") : "";
}

/** The device of a session. */
export function deviceOf({ userAgent }: OwnSession, { t }: Pick<Translator, "t">): string {
  return userAgent ?? t("Unknown device");
}

function stringField(value: unknown, name: string): string {
  const text: unknown = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  return typeof text === "string" ? text : "";
}

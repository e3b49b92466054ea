import type { User } from "@purse/client";
import { useMoralis } from "@purse/react";
import { SecondFactor } from "@purse/ui";
import { stringField } from "./stringField.ts";
import { newTotpSecret, totpUri } from "./totp.ts";

/** Two-factor authentication of the user. */
export function TwoFactor({ user }: { user: User }) {
  const { refetchUserData } = useMoralis();
  const authData: unknown = user.get("authData");
  return (
    <SecondFactor
      isOn={typeof authData === "object" && authData !== null && "mfa" in authData && authData.mfa !== null}
      createKey={() => {
        const secret = newTotpSecret();
        return { secret, url: totpUri(secret, stringField(user.get("username")), "Purse") };
      }}
      confirm={async (token, secret) => {
        await user.linkWith("mfa", { authData: { secret, token } });
        const codes = recoveryCodesOf(user);
        // The secret must not stay in this browser.
        await refetchUserData();
        return codes;
      }}
      remove={async ({ code }) => {
        await user.linkWith("mfa", { authData: { old: code.replace(/\s/g, ""), disable: true } });
        await refetchUserData();
      }}
    />
  );
}

/** The recovery codes, which the server returns once. */
function recoveryCodesOf(user: User): string[] {
  const response: unknown = user.get("authDataResponse");
  const mfa =
    typeof response === "object" && response !== null && "mfa" in response ? response.mfa : undefined;
  const codes = typeof mfa === "object" && mfa !== null && "recovery" in mfa ? mfa.recovery : undefined;
  return typeof codes === "string" ? codes.split(", ") : [];
}

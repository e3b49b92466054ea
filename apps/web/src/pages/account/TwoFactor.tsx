import { Passkeys, type User } from "@purse/client";
import { useMoralis } from "@purse/react";
import { SecondFactor } from "@purse/ui";
import { stringField } from "../../components/stringField.ts";
import { useOwnPasskeys } from "./OwnPasskeys.tsx";
import { newTotpSecret, totpUri } from "./totp.ts";
import { useSignInMethods } from "./useSignInMethods.ts";

/** Two-factor authentication of the user. */
export function TwoFactor({ user }: { user: User }) {
  const { refetchUserData } = useMoralis();
  const methods = useSignInMethods();
  const { data: passkeys = [] } = useOwnPasskeys(user.id ?? "");
  const hasPasskey = passkeys.length > 0;
  return (
    <SecondFactor
      isOn={hasSecondFactor(user)}
      hasPassword={methods.data?.hasPassword}
      allowsPasskey={hasPasskey}
      confirmByPasskey={
        hasPasskey
          ? async () => {
              const codes = await Passkeys.enableFactor(user);
              await refetchUserData();
              return codes;
            }
          : undefined
      }
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
        const old = code === "" ? await Passkeys.proveFactor() : code.replace(/\s/g, "");
        await user.linkWith("mfa", { authData: { old, disable: true } });
        await refetchUserData();
      }}
    />
  );
}

/** Whether signing in needs a code besides a password. */
export function hasSecondFactor(user: User): boolean {
  const authData: unknown = user.get("authData");
  return typeof authData === "object" && authData !== null && "mfa" in authData && authData.mfa !== null;
}

/** The recovery codes, which the server returns once. */
function recoveryCodesOf(user: User): string[] {
  const response: unknown = user.get("authDataResponse");
  const mfa =
    typeof response === "object" && response !== null && "mfa" in response ? response.mfa : undefined;
  const codes = typeof mfa === "object" && mfa !== null && "recovery" in mfa ? mfa.recovery : undefined;
  return typeof codes === "string" ? codes.split(", ") : [];
}

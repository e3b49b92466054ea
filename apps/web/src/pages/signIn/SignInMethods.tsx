import { Tabs } from "@base-ui/react/tabs";
import { useTranslation } from "@purse/ui";
import { useState } from "react";
import type { KnownUser } from "./knownUser.ts";
import { PasskeySignIn } from "./PasskeySignIn.tsx";
import { PasswordSignIn } from "./PasswordSignIn.tsx";
import { WalletSignIn } from "./WalletSignIn.tsx";
import "./SignIn.css";

export type SignInMethod = "wallet" | "password";

export interface SignInMethodsProps {
  value: SignInMethod;
  onChange: (method: SignInMethod) => void;
  /** Restricts signing in to this user. */
  restrictTo?: KnownUser;
}

/** Signs in by passkey, wallet or password. Both forms keep their state when switching. */
export function SignInMethods({ value, onChange, restrictTo }: SignInMethodsProps) {
  const { t } = useTranslation();
  const [isCreatingPasskey, setCreatingPasskey] = useState(false);
  return (
    <Tabs.Root
      value={value}
      onValueChange={(method: unknown) => onChange(method === "password" ? "password" : "wallet")}
      className="stack"
    >
      <Tabs.List className="tabs-list" aria-label={t("Sign-in method")}>
        <Tabs.Tab value="wallet" className="tab">
          {t("Wallet")}
        </Tabs.Tab>
        <Tabs.Tab value="password" className="tab">
          {t("Password")}
        </Tabs.Tab>
      </Tabs.List>
      <PasskeySignIn isPaused={isCreatingPasskey} {...(restrictTo && { restrictTo: restrictTo.id })} />
      <Tabs.Panel value="wallet" keepMounted>
        <WalletSignIn {...(restrictTo && { restrictTo })} />
      </Tabs.Panel>
      <Tabs.Panel value="password" keepMounted>
        <PasswordSignIn
          isCreatingPasskey={isCreatingPasskey}
          onCreatingPasskey={setCreatingPasskey}
          {...(restrictTo && { restrictTo: restrictTo.username })}
        />
      </Tabs.Panel>
    </Tabs.Root>
  );
}

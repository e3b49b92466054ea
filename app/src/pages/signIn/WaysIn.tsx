import { Tabs } from "@base-ui/react/tabs";
import { useTexts } from "../../texts/TextsContext.tsx";
import { PasswordSignIn } from "./PasswordSignIn.tsx";
import { WalletSignIn } from "./WalletSignIn.tsx";
import "./SignIn.css";

export type Way = "wallet" | "password";

export interface WaysInProps {
  value: Way;
  onChange: (way: Way) => void;
  /** Who signs in again: their name, and their wallets' addresses in lower case. */
  only?: { username: string; accounts: readonly string[] };
}

/** By wallet or by password. Both stay as they are while the other is looked at. */
export function WaysIn({ value, onChange, only }: WaysInProps) {
  const { t } = useTexts();
  return (
    <Tabs.Root
      value={value}
      onValueChange={(way: unknown) => onChange(way === "password" ? "password" : "wallet")}
      className="stack"
    >
      <Tabs.List className="tabs-list" aria-label={t("How to sign in")}>
        <Tabs.Tab value="wallet" className="tab">
          {t("Wallet")}
        </Tabs.Tab>
        <Tabs.Tab value="password" className="tab">
          {t("Password")}
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="wallet" keepMounted>
        <WalletSignIn {...(only && { only: only.accounts })} />
      </Tabs.Panel>
      <Tabs.Panel value="password" keepMounted>
        <PasswordSignIn {...(only && { only: only.username })} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}

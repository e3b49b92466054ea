import { Tabs } from "@base-ui/react/tabs";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import { PasswordSignIn } from "./PasswordSignIn.tsx";
import { WalletSignIn } from "./WalletSignIn.tsx";
import "./SignIn.css";

export type SignInMethod = "wallet" | "password";

export interface SignInMethodsProps {
  value: SignInMethod;
  onChange: (method: SignInMethod) => void;
  /** Who signs in again: their name, and their wallets' addresses in lower case. */
  restrictTo?: { username: string; accounts: readonly string[] };
}

/** By wallet or by password. Both stay as they are while the other is looked at. */
export function SignInMethods({ value, onChange, restrictTo }: SignInMethodsProps) {
  const { t } = useTranslation();
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
      <Tabs.Panel value="wallet" keepMounted>
        <WalletSignIn {...(restrictTo && { restrictTo: restrictTo.accounts })} />
      </Tabs.Panel>
      <Tabs.Panel value="password" keepMounted>
        <PasswordSignIn {...(restrictTo && { restrictTo: restrictTo.username })} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}

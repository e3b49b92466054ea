import {
  decryptKey,
  type EnableOptions,
  encryptKey,
  type InjectedWallet,
  type KeystoreFile,
} from "@purse/client";
import { useWallets } from "@purse/react";
import { type FormEvent, useState } from "react";
import { Address } from "../../design/Address.tsx";
import { Button } from "../../design/Button.tsx";
import { Field } from "../../design/Field.tsx";
import { useSettings } from "../../SettingsContext.tsx";
import { type AppSettings, defaultChain } from "../../settings.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { recentWallet } from "./recentWallet.ts";
import { WhatIsAWallet } from "./WhatIsAWallet.tsx";

const KEYSTORE = "purse/keystore";

/** A wallet that somebody has chosen, and how to ask it. */
export interface Choice {
  id: string;
  name: string;
  /** A data URI. */
  icon?: string;
  options: EnableOptions;
}

/** The wallets that can be asked: those installed (EIP-6963), the last used one on top, then the others. */
export function WalletChoices({ onChoose }: { onChoose: (choice: Choice) => void }) {
  const { t } = useTexts();
  const { wallets } = useWallets();
  const settings = useSettings();
  const recent = recentWallet();
  const sorted = [...wallets].sort((a, b) => Number(b.rdns === recent) - Number(a.rdns === recent));
  const chain = defaultChain(settings);
  return (
    <div className="stack">
      {sorted.length > 0 ? (
        <ul className="wallet-list" aria-label={t("Installed wallets")}>
          {sorted.map((wallet) => (
            <li key={wallet.uuid}>
              <WalletButton wallet={wallet} recent={wallet.rdns === recent} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      ) : (
        <p className="soft">{t("No wallet is installed in this browser.")}</p>
      )}
      {settings.development && chain?.rpcUrl && (
        <DevelopmentWallet
          settings={settings}
          rpcUrl={chain.rpcUrl}
          isRecent={recent === "keystore"}
          onChoose={onChoose}
        />
      )}
      <WhatIsAWallet />
    </div>
  );
}

interface WalletButtonProps {
  wallet: InjectedWallet;
  recent: boolean;
  onChoose: (choice: Choice) => void;
}

function WalletButton({ wallet, recent, onChoose }: WalletButtonProps) {
  const { t } = useTexts();
  const { rdns, name, icon } = wallet;
  return (
    <button
      type="button"
      className="wallet"
      onClick={() => onChoose({ id: rdns, name, icon, options: { provider: "injected", rdns } })}
    >
      {icon && <img src={icon} alt="" width="32" height="32" referrerPolicy="no-referrer" />}
      <bdi className="clip">{name}</bdi>
      {recent && <span className="tag">{t("Recent")}</span>}
    </button>
  );
}

interface DevelopmentWalletProps {
  settings: AppSettings;
  rpcUrl: string;
  isRecent: boolean;
  onChoose: (choice: Choice) => void;
}

/** For people without a wallet: a funded key of the local chain, or one of their own under a password. */
function DevelopmentWallet({ settings, rpcUrl, isRecent, onChoose }: DevelopmentWalletProps) {
  const { t } = useTexts();
  const use = (privateKey: string, name: string) =>
    onChoose({ id: "keystore", name, options: { provider: "keystore", privateKey, rpcUrl } });
  return (
    <details className="dev-wallet">
      <summary>
        {t("Development wallet")} {isRecent && <span className="tag">{t("Recent")}</span>}
      </summary>
      <div className="stack">
        <p className="soft small">
          {t("Keys of the local chain that everybody knows: for trying out, never for real money.")}
        </p>
        <ul className="wallet-list" aria-label={t("Funded development accounts")}>
          {settings.devWallets.slice(0, 3).map(({ address, privateKey }, i) => (
            <li key={address}>
              <button
                type="button"
                className="wallet"
                onClick={() => use(privateKey, t("account {n}", { n: i + 1 }))}
              >
                <Address address={address} short />
                <span className="tag">{t("Account {n}", { n: i + 1 })}</span>
              </button>
            </li>
          ))}
        </ul>
        <OwnKey onKey={(privateKey) => use(privateKey, t("your key"))} />
      </div>
    </details>
  );
}

/** A key of one's own, kept in this browser under a password (Web3 Secret Storage). */
function OwnKey({ onKey }: { onKey: (privateKey: string) => void }) {
  const { t } = useTexts();
  const [stored] = useState<KeystoreFile | undefined>(() => {
    const text = localStorage.getItem(KEYSTORE);
    return text === null ? undefined : JSON.parse(text);
  });
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  async function submit(event: FormEvent) {
    event.preventDefault();
    if (password.length < 8) {
      setProblem(t("Use at least 8 characters."));
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      if (stored) onKey(await decryptKey(stored, password));
      else {
        const { generatePrivateKey } = await import("viem/accounts");
        const key = generatePrivateKey();
        localStorage.setItem(KEYSTORE, JSON.stringify(await encryptKey(key, password)));
        onKey(key);
      }
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  }
  return (
    <form onSubmit={submit} noValidate>
      <Field
        label={stored ? t("Unlock your own key") : t("Make a key of your own")}
        type="password"
        autoComplete={stored ? "current-password" : "new-password"}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        hint={stored ? undefined : t("The password protects the key in this browser.")}
        problem={problem}
        after={
          <Button type="submit" busy={busy}>
            {stored ? t("Unlock") : t("Create")}
          </Button>
        }
      />
    </form>
  );
}

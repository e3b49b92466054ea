import { callNode, decryptKey, type EnableOptions, encryptKey, type KeystoreFile } from "@purse/client";
import { useWallets } from "@purse/react";
import { Address, Button, Field, useTranslation } from "@purse/ui";
import { type FormEvent, useState } from "react";
import { formatAmount } from "../../money/amount.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { useSettings } from "../../SettingsContext.tsx";
import { type AppSettings, defaultChain } from "../../settings.ts";
import { DEVELOPMENT_WALLET } from "../../wallet/developmentWalletName.ts";
import { recentWallet } from "./recentWallet.ts";
import { magicWalletOption, serviceWalletOptions } from "./serviceWallets.ts";
import { WalletAppLinks } from "./WalletAppLinks.tsx";
import { WhatIsAWallet } from "./WhatIsAWallet.tsx";
import { installedWalletOption, type WalletOption, WINDOW_HINT } from "./walletOption.ts";

const KEYSTORE_KEY = "purse/keystore";

export interface WalletListProps {
  /** Whether the user has no wallet yet: what helps to get one is unfolded. */
  isNew?: boolean;
  onChoose: (choice: WalletOption) => void;
}

/** The available wallets: installed (EIP-6963) and configured services, the most recent first. */
export function WalletList({ isNew = false, onChoose }: WalletListProps) {
  const { t } = useTranslation();
  const { wallets } = useWallets();
  const settings = useSettings();
  const recent = recentWallet();
  const chain = defaultChain(settings);
  const installed = wallets.map(installedWalletOption);
  const sorted = [...installed, ...serviceWalletOptions(settings)].sort(
    (a, b) => Number(b.id === recent) - Number(a.id === recent),
  );
  return (
    <div className="stack">
      {installed.length === 0 && (
        <>
          <p className="soft">{t("No wallet detected in this browser.")}</p>
          <WalletAppLinks />
        </>
      )}
      {sorted.length > 0 && (
        <ul className="wallet-list" aria-label={t("Wallets")}>
          {sorted.map((choice) => (
            <li key={choice.options.rdns ?? choice.id}>
              <WalletButton choice={choice} recent={choice.id === recent} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      )}
      {settings.wallets.magic && (
        <MagicWallet service={settings.wallets.magic} isRecent={recent === "magic"} onChoose={onChoose} />
      )}
      {settings.development && chain?.rpcUrl && (
        <DevelopmentWallet
          settings={settings}
          rpcUrl={chain.rpcUrl}
          isRecent={recent === "keystore"}
          isOpen={isNew || recent === "keystore" || sorted.length === 0}
          onChoose={onChoose}
        />
      )}
      <WhatIsAWallet isOpen={isNew} />
    </div>
  );
}

interface WalletButtonProps {
  choice: WalletOption;
  recent: boolean;
  onChoose: (choice: WalletOption) => void;
}

function WalletButton({ choice, recent, onChoose }: WalletButtonProps) {
  const { t } = useTranslation();
  const { name, icon: Icon } = choice;
  return (
    <button type="button" className="wallet" onClick={() => onChoose(choice)}>
      {typeof Icon === "string" ? (
        <img src={Icon} alt="" width="32" height="32" referrerPolicy="no-referrer" />
      ) : (
        Icon && (
          <span className="wallet-sign">
            <Icon size={20} aria-hidden="true" />
          </span>
        )
      )}
      <bdi className="clip">{t(name)}</bdi>
      {recent && <span className="tag">{t("Recent")}</span>}
    </button>
  );
}

interface MagicWalletProps {
  service: { apiKey: string; network: string };
  isRecent: boolean;
  onChoose: (choice: WalletOption) => void;
}

/** A wallet opened by an email link. */
function MagicWallet({ service, isRecent, onChoose }: MagicWalletProps) {
  const { t } = useTranslation();
  const [email, setEmail] = useState("");
  const [problem, setProblem] = useState<string>();
  function submit(event: FormEvent) {
    event.preventDefault();
    if (/^\S+@\S+$/.test(email.trim())) onChoose(magicWalletOption(service, email.trim()));
    else setProblem(t("Enter your email address."));
  }
  return (
    <details className="dev-wallet" open={isRecent}>
      <summary>
        {t("Email wallet (Magic)")} {isRecent && <span className="tag">{t("Recent")}</span>}
      </summary>
      <form className="stack" onSubmit={submit} noValidate>
        <Field
          label={t("Wallet email")}
          type="email"
          autoComplete="email"
          value={email}
          onText={setEmail}
          hint={t("Magic emails you a link and manages the wallet's key.")}
          problem={problem}
          after={<Button type="submit">{t("Continue")}</Button>}
        />
      </form>
    </details>
  );
}

interface DevelopmentWalletProps {
  settings: AppSettings;
  rpcUrl: string;
  isRecent: boolean;
  /** Whether it is unfolded at first. */
  isOpen: boolean;
  onChoose: (choice: WalletOption) => void;
}

/** Test wallets: funded keys of the local chain, or a local key with a password. */
function DevelopmentWallet({ settings, rpcUrl, isRecent, isOpen, onChoose }: DevelopmentWalletProps) {
  const { t, language } = useTranslation();
  const accounts = settings.devWallets.slice(0, 3);
  const symbol = defaultChain(settings)?.nativeCurrency.symbol ?? "";
  const balances = useServerQuery({
    queryKey: ["development balances", rpcUrl],
    queryFn: () =>
      Promise.all(
        accounts.map(async ({ address }) =>
          BigInt(String(await callNode(rpcUrl, "eth_getBalance", [address, "latest"]))),
        ),
      ),
  });
  const use = (name: string, options: EnableOptions) =>
    onChoose({ id: "keystore", name, hint: WINDOW_HINT, options });
  return (
    <details className="dev-wallet" open={isOpen}>
      <summary>
        {t("Test wallet")} {isRecent && <span className="tag">{t("Recent")}</span>}
      </summary>
      <div className="stack">
        <p className="soft small">
          {t("Publicly known keys of the local chain. Never use them with real funds.")}
        </p>
        <ul className="wallet-list" aria-label={t("Funded development accounts")}>
          {accounts.map(({ address }, i) => (
            <li key={address}>
              <button
                type="button"
                className="wallet"
                onClick={() =>
                  use(t("account {n, number}", { n: i + 1 }), { provider: DEVELOPMENT_WALLET, address })
                }
              >
                <Address address={address} short />
                <span className="number small soft">
                  {balances.data?.[i] !== undefined &&
                    `${formatAmount(balances.data[i], 18, language)} ${symbol}`}
                </span>
                <span className="tag">{t("Account {n, number}", { n: i + 1 })}</span>
              </button>
            </li>
          ))}
        </ul>
        <LocalKeyForm
          onKey={(privateKey) => use(t("your wallet"), { provider: "keystore", privateKey, rpcUrl })}
        />
      </div>
    </details>
  );
}

/** A key stored in this browser, encrypted with a password (Web3 Secret Storage). */
function LocalKeyForm({ onKey }: { onKey: (privateKey: string) => void }) {
  const { t } = useTranslation();
  const [stored] = useState<KeystoreFile | undefined>(() => {
    const text = localStorage.getItem(KEYSTORE_KEY);
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
        localStorage.setItem(KEYSTORE_KEY, JSON.stringify(await encryptKey(key, password)));
        onKey(key);
      }
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  }
  return (
    <form className="stack tight" onSubmit={submit} noValidate>
      <h3>{stored ? t("Unlock your wallet") : t("Create a new wallet")}</h3>
      {!stored && (
        <p className="soft small">
          {t(
            "Its key is kept in this browser only. Without this browser's data or the password, nobody can recover the wallet and what it holds.",
          )}
        </p>
      )}
      <Field
        label={stored ? t("Wallet password") : t("Password for the new wallet")}
        type="password"
        autoComplete={stored ? "current-password" : "new-password"}
        value={password}
        onText={setPassword}
        hint={stored ? undefined : t("This password encrypts the key in this browser.")}
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

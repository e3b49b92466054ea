import {
  decryptKey,
  type EnableOptions,
  encryptKey,
  type InjectedWallet,
  type KeystoreFile,
} from "@purse/client";
import { useMoralis, useWallets } from "@purse/react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { Address } from "../design/Address.tsx";
import { Button } from "../design/Button.tsx";
import { Field } from "../design/Field.tsx";
import { Stepper, type StepState } from "../design/Stepper.tsx";
import { ErrorState } from "../design/states.tsx";
import { useSettings } from "../SettingsContext.tsx";
import { type AppSettings, chainByHexId, defaultChain } from "../settings.ts";

const RECENT = "purse/recent-wallet";
const KEYSTORE = "purse/keystore";

/** A wallet that somebody has chosen, and how to ask it. */
interface Choice {
  id: string;
  name: string;
  options: EnableOptions;
}

/** Two steps that people see as two: connecting the wallet, then signing in with it. */
export function WalletSignIn() {
  const { enableWeb3, deactivateWeb3, authenticate, account, chainId, isWeb3Enabled, isAuthenticating } =
    useMoralis();
  const settings = useSettings();
  const [choice, setChoice] = useState<Choice>();
  const [connecting, setConnecting] = useState(false);
  const [error, setError] = useState<unknown>();
  const cancel = useRef<AbortController>(undefined);
  useEffect(() => () => cancel.current?.abort(), []);

  async function connect(chosen: Choice) {
    const controller = new AbortController();
    cancel.current = controller;
    setChoice(chosen);
    setError(undefined);
    setConnecting(true);
    await enableWeb3({
      ...chosen.options,
      signal: controller.signal,
      onSuccess: () => localStorage.setItem(RECENT, chosen.id),
      onError: (problem) => !controller.signal.aborted && setError(problem),
    });
    setConnecting(false);
  }

  async function signIn() {
    setError(undefined);
    await authenticate({ ...(choice?.options ?? {}), onError: setError });
  }

  async function startOver() {
    cancel.current?.abort();
    setChoice(undefined);
    setError(undefined);
    await deactivateWeb3();
  }

  const connected = isWeb3Enabled && account !== null;
  const steps: { label: string; state: StepState }[] = [
    { label: "Connect a wallet", state: connected ? "done" : error !== undefined ? "failed" : "now" },
    {
      label: "Sign a message to sign in",
      state: !connected ? "todo" : error !== undefined ? "failed" : "now",
    },
  ];
  return (
    <div className="stack">
      <Stepper steps={steps} />
      {connected ? (
        <section className="stack tight" aria-label="Connected wallet">
          <Address address={account} />
          {chainId && !chainByHexId(settings, chainId) && (
            <p className="notice">
              The wallet is on chain {chainId}, which this server does not follow. Signing in works all the
              same.
            </p>
          )}
          <p className="soft">The wallet shows a message. Signing it costs nothing and sends nothing.</p>
        </section>
      ) : connecting ? (
        <p role="status">Waiting for {choice?.name}. Look for its window.</p>
      ) : (
        <Choices settings={settings} onChoose={(chosen) => void connect(chosen)} />
      )}
      {error !== undefined && (
        <ErrorState
          error={error}
          retry={() => (connected ? void signIn() : choice && void connect(choice))}
        />
      )}
      {connected && (
        <Button look="primary" busy={isAuthenticating} onClick={() => void signIn()}>
          {isAuthenticating ? "Waiting for your signature" : "Sign in with this wallet"}
        </Button>
      )}
      {(connected || connecting) && (
        <Button look="quiet" onClick={() => void startOver()}>
          {connecting ? "Cancel" : "Use another wallet"}
        </Button>
      )}
    </div>
  );
}

function Choices({ settings, onChoose }: { settings: AppSettings; onChoose: (choice: Choice) => void }) {
  const { wallets } = useWallets();
  const recent = localStorage.getItem(RECENT);
  const sorted = [...wallets].sort((a, b) => Number(b.rdns === recent) - Number(a.rdns === recent));
  return (
    <div className="stack">
      {sorted.length > 0 ? (
        <ul className="wallet-list" aria-label="Installed wallets">
          {sorted.map((wallet) => (
            <li key={wallet.uuid}>
              <WalletButton wallet={wallet} recent={wallet.rdns === recent} onChoose={onChoose} />
            </li>
          ))}
        </ul>
      ) : (
        <p className="soft">
          No wallet is installed in this browser. A wallet is an app or extension that keeps your keys and
          signs for you.
        </p>
      )}
      {settings.development && defaultChain(settings)?.rpcUrl && (
        <DevelopmentWallet
          settings={settings}
          rpcUrl={defaultChain(settings)?.rpcUrl ?? ""}
          onChoose={onChoose}
        />
      )}
    </div>
  );
}

interface WalletButtonProps {
  wallet: InjectedWallet;
  recent: boolean;
  onChoose: (choice: Choice) => void;
}

function WalletButton({ wallet, recent, onChoose }: WalletButtonProps) {
  const { rdns, name, icon } = wallet;
  return (
    <button
      type="button"
      className="wallet"
      onClick={() => onChoose({ id: rdns, name, options: { provider: "injected", rdns } })}
    >
      {icon && <img src={icon} alt="" width="32" height="32" />}
      {name}
      {recent && <span className="tag">Recent</span>}
    </button>
  );
}

interface DevelopmentWalletProps {
  settings: AppSettings;
  rpcUrl: string;
  onChoose: (choice: Choice) => void;
}

/** For people without a wallet: a funded key of the local chain, or one of their own under a password. */
function DevelopmentWallet({ settings, rpcUrl, onChoose }: DevelopmentWalletProps) {
  const use = (privateKey: string, name: string) =>
    onChoose({ id: "keystore", name, options: { provider: "keystore", privateKey, rpcUrl } });
  return (
    <details>
      <summary>Development wallet</summary>
      <div className="stack" style={{ paddingTop: "0.75rem" }}>
        <p className="soft small">
          Keys of the local chain that everybody knows: for trying out, never for real money.
        </p>
        <ul className="wallet-list" aria-label="Funded development accounts">
          {settings.devWallets.slice(0, 3).map(({ address, privateKey }, i) => (
            <li key={address}>
              <button type="button" className="wallet" onClick={() => use(privateKey, `account ${i + 1}`)}>
                <Address address={address} short />
                <span className="tag">Account {i + 1}</span>
              </button>
            </li>
          ))}
        </ul>
        <OwnKey onKey={(privateKey) => use(privateKey, "your key")} />
      </div>
    </details>
  );
}

/** A key of one's own, kept in this browser under a password (Web3 Secret Storage). */
function OwnKey({ onKey }: { onKey: (privateKey: string) => void }) {
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
      setProblem("Use at least 8 characters.");
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
        label={stored ? "Unlock your own key" : "Make a key of your own"}
        type="password"
        autoComplete={stored ? "current-password" : "new-password"}
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        hint={stored ? undefined : "The password protects the key in this browser."}
        problem={problem}
        after={
          <Button type="submit" busy={busy}>
            {stored ? "Unlock" : "Create"}
          </Button>
        }
      />
    </form>
  );
}

import { useMoralis, useWallets } from "@purse/react";
import { Address, Button, ErrorState, Notice, Stepper, type StepState, useTranslation } from "@purse/ui";
import { useEffect, useRef, useState } from "react";
import { useSettings } from "../../SettingsContext.tsx";
import { chainByHexId } from "../../settings.ts";
import { chainNameOf } from "../../wallet/chains.ts";
import { CodeForm } from "./CodeForm.tsx";
import type { KnownUser } from "./knownUser.ts";
import { recentWallet } from "./recentWallet.ts";
import { SolanaSignIn } from "./SolanaSignIn.tsx";
import { needsTwoFactorCode } from "./twoFactorErrors.ts";
import { useRestoreFocus } from "./useRestoreFocus.ts";
import { useWalletConnection } from "./useWalletConnection.ts";
import { WaitingForWallet } from "./WaitingForWallet.tsx";
import { WalletList } from "./WalletList.tsx";
import { installedWalletOption, type WalletOption } from "./walletOption.ts";

export interface WalletSignInProps {
  /** Restricts signing in to the wallets of this user. */
  restrictTo?: Pick<KnownUser, "accounts" | "solanaAccount">;
  /** Whether a user is signed in, whose session stays until another one has begun. */
  keepSession?: boolean;
}

/** Signs in by wallet in two visible steps: connect, then sign. */
export function WalletSignIn({ restrictTo, keepSession = restrictTo !== undefined }: WalletSignInProps) {
  const { t } = useTranslation();
  const { deactivateWeb3, authenticate, account, chainId, isWeb3Enabled, isAuthenticating } = useMoralis();
  const settings = useSettings();
  const connection = useWalletConnection();
  const { wallets } = useWallets();
  const [signInError, setSignInError] = useState<unknown>();
  const controllerRef = useRef<AbortController>(undefined);
  useEffect(() => () => controllerRef.current?.abort(), []);
  const { choice, isWaiting } = connection;
  const frame = useRef<HTMLDivElement>(null);
  const error = connection.error ?? signInError;

  async function connect(chosen: WalletOption) {
    setSignInError(undefined);
    await connection.connect(chosen);
  }

  async function signIn(oneTimeCode?: string) {
    const controller = new AbortController();
    controllerRef.current = controller;
    setSignInError(undefined);
    await authenticate({
      ...(choice?.options ?? {}),
      siwe: true,
      // Declining keeps the session and the page.
      keepSession,
      oneTimeCode,
      signal: controller.signal,
      onError: (problem) => !controller.signal.aborted && setSignInError(problem),
    });
  }

  async function startOver() {
    controllerRef.current?.abort();
    connection.cancel();
    setSignInError(undefined);
    await deactivateWeb3();
  }

  /** After a reload, the wallet was not chosen here, but the last time. Without it, another one can be chosen. */
  async function retryConnecting() {
    const recent = recentWallet();
    const again = choice ?? wallets.map(installedWalletOption).find(({ id }) => id === recent);
    await (again ? connect(again) : startOver());
  }

  const connected = isWeb3Enabled && account !== null;
  const needsCode = error !== undefined && needsTwoFactorCode(error);
  const failed = error !== undefined && !needsCode;
  const isWrongWallet =
    connected && restrictTo !== undefined && !restrictTo.accounts.includes(account.toLowerCase());
  const steps: { label: string; state: StepState }[] = [
    { label: t("Connect a wallet"), state: connected ? "done" : failed ? "failed" : "now" },
    { label: t("Sign a message to sign in"), state: !connected ? "todo" : failed ? "failed" : "now" },
  ];
  useRestoreFocus(frame, `${connected} ${isWaiting} ${failed}`);
  return (
    <div className="stack" ref={frame}>
      <Stepper steps={steps} />
      {connected ? (
        <section className="stack tight" aria-label={t("Connected wallet")}>
          <Address address={account} />
          {chainId && !chainByHexId(settings, chainId) && (
            <Notice kind="warning" title={t("This server does not index your wallet's chain")}>
              {t("Your wallet is on {chain}. You can still sign in.", { chain: chainNameOf(chainId) })}
            </Notice>
          )}
          {isWrongWallet ? (
            <Notice kind="warning" title={t("Wallet not linked to your account")}>
              {t("Switch to the wallet you signed in with, or sign out to use a different account.")}
            </Notice>
          ) : (
            <p className="soft">
              {t("Sign the message in your wallet. It's free and sends no transaction.")}
            </p>
          )}
        </section>
      ) : isWaiting && choice ? (
        <WaitingForWallet choice={choice} link={connection.link} onRetry={() => void connect(choice)} />
      ) : (
        error === undefined && (
          <>
            <WalletList onChoose={(chosen) => void connect(chosen)} />
            {restrictTo === undefined ? (
              <SolanaSignIn />
            ) : (
              restrictTo.solanaAccount !== undefined && <SolanaSignIn restrictTo={restrictTo.solanaAccount} />
            )}
          </>
        )
      )}
      {failed && (
        // The button below requests a signature again.
        <ErrorState error={error} {...(!connected && { retry: () => void retryConnecting() })} />
      )}
      {needsCode ? (
        <CodeForm
          error={error}
          busy={isAuthenticating}
          onCode={(code) => void signIn(code)}
          hint={t("Your wallet will ask you to sign again.")}
        />
      ) : (
        connected && (
          <Button
            variant="primary"
            disabled={isWrongWallet}
            busy={isAuthenticating}
            onClick={() => void signIn()}
          >
            {isAuthenticating ? t("Waiting for your signature") : t("Sign in with this wallet")}
          </Button>
        )
      )}
      {(connected || isWaiting || failed) && (
        <Button variant="quiet" onClick={() => void startOver()}>
          {isWaiting ? t("Cancel") : t("Use a different wallet")}
        </Button>
      )}
    </div>
  );
}

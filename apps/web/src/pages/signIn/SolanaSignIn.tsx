import { type SolanaWallet, watchSolanaWallets } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Button, ErrorState, Notice, useTranslation } from "@purse/ui";
import { useEffect, useRef, useState } from "react";
import { CodeForm } from "./CodeForm.tsx";
import { needsTwoFactorCode } from "./twoFactorErrors.ts";

export interface SolanaSignInProps {
  /** Restricts signing in to this address, in base58. */
  restrictTo?: string;
}

/** Signs in with a Solana wallet of this browser; nothing if it has none. */
export function SolanaSignIn({ restrictTo }: SolanaSignInProps) {
  const { t } = useTranslation();
  const { authenticate } = useMoralis();
  const [wallets, setWallets] = useState<readonly SolanaWallet[]>([]);
  const [chosen, setChosen] = useState<string>();
  const [isWaiting, setWaiting] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isWrongWallet, setWrongWallet] = useState(false);
  const controllerRef = useRef<AbortController>(undefined);
  useEffect(() => watchSolanaWallets(setWallets), []);
  useEffect(() => () => controllerRef.current?.abort(), []);
  if (wallets.length === 0) return null;

  async function signIn(solanaWallet: string, oneTimeCode?: string) {
    const controller = new AbortController();
    controllerRef.current = controller;
    setChosen(solanaWallet);
    setError(undefined);
    setWaiting(true);
    await signInIfLinked(solanaWallet, oneTimeCode, controller.signal);
    setWaiting(false);
  }

  /** The server would create an account for a wallet that it does not know. */
  async function signInIfLinked(
    solanaWallet: string,
    oneTimeCode: string | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const handleError = (problem: unknown) => !signal.aborted && setError(problem);
    if (restrictTo !== undefined) {
      const wallet = wallets.find(({ name }) => name === solanaWallet);
      try {
        const isOther = (await wallet?.connect()) !== restrictTo;
        setWrongWallet(isOther);
        if (isOther) return;
      } catch (problem) {
        handleError(problem);
        return;
      }
    }
    await authenticate({
      type: "sol",
      solanaWallet,
      oneTimeCode,
      // Declining keeps the session and the page.
      keepSession: restrictTo !== undefined,
      signal,
      onError: handleError,
    });
  }

  const needsCode = error !== undefined && needsTwoFactorCode(error);
  return (
    <section className="stack tight" aria-label={t("Solana wallets")}>
      {wallets.map(({ name, icon }) => (
        <Button
          key={name}
          busy={isWaiting && chosen === name}
          disabled={isWaiting}
          onClick={() => void signIn(name)}
        >
          {icon !== undefined && <img src={icon} alt="" width="20" height="20" />}
          {name === "Solana"
            ? t("Sign in with Solana")
            : t("Sign in with Solana ({wallet})", { wallet: name.slice(0, 24) })}
        </Button>
      ))}
      {isWrongWallet && (
        <Notice kind="warning" title={t("Wallet not linked to your account")}>
          {t("Switch to the wallet you signed in with, or sign out to use a different account.")}
        </Notice>
      )}
      {needsCode && chosen !== undefined ? (
        <CodeForm
          error={error}
          busy={isWaiting}
          onCode={(code) => void signIn(chosen, code)}
          hint={t("Your wallet will ask you to sign again.")}
        />
      ) : (
        error !== undefined && <ErrorState error={error} />
      )}
    </section>
  );
}

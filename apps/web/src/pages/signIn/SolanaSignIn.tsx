import { type SolanaWallet, watchSolanaWallets } from "@purse/client";
import { useMoralis } from "@purse/react";
import { Button, ErrorState, useTranslation } from "@purse/ui";
import { useEffect, useRef, useState } from "react";
import { CodeForm } from "./CodeForm.tsx";
import { needsTwoFactorCode } from "./twoFactorErrors.ts";

/** Signs in with a Solana wallet of this browser; nothing if it has none. */
export function SolanaSignIn() {
  const { t } = useTranslation();
  const { authenticate } = useMoralis();
  const [wallets, setWallets] = useState<readonly SolanaWallet[]>([]);
  const [chosen, setChosen] = useState<string>();
  const [isWaiting, setWaiting] = useState(false);
  const [error, setError] = useState<unknown>();
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
    await authenticate({
      type: "sol",
      solanaWallet,
      oneTimeCode,
      signal: controller.signal,
      onError: (problem) => !controller.signal.aborted && setError(problem),
    });
    setWaiting(false);
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
            : t("Sign in with Solana ({wallet})", { wallet: name.slice(0, 40) })}
        </Button>
      ))}
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

import { useMoralis } from "@purse/react";
import { useEffect, useRef, useState } from "react";
import { Address } from "../../design/Address.tsx";
import { Button } from "../../design/Button.tsx";
import { Notice } from "../../design/Status.tsx";
import { Stepper, type StepState } from "../../design/Stepper.tsx";
import { ErrorState } from "../../design/states.tsx";
import { useSettings } from "../../SettingsContext.tsx";
import { chainByHexId } from "../../settings.ts";
import { useTexts } from "../../texts/TextsContext.tsx";
import { CodeForm } from "./CodeForm.tsx";
import type { Choice } from "./choice.ts";
import { asksForCode } from "./factorAsked.ts";
import { useConnecting } from "./useConnecting.ts";
import { useKeptFocus } from "./useKeptFocus.ts";
import { WaitingForWallet } from "./WaitingForWallet.tsx";
import { WalletChoices } from "./WalletChoices.tsx";

export interface WalletSignInProps {
  /** The addresses of who signs in again: no other will do. Lower-case hex. */
  only?: readonly string[];
}

/** Two steps that people see as two: connecting the wallet, then signing in with it. */
export function WalletSignIn({ only }: WalletSignInProps) {
  const { t } = useTexts();
  const { deactivateWeb3, authenticate, account, chainId, isWeb3Enabled, isAuthenticating } = useMoralis();
  const settings = useSettings();
  const connecting = useConnecting();
  const [refusal, setRefusal] = useState<unknown>();
  const cancel = useRef<AbortController>(undefined);
  useEffect(() => () => cancel.current?.abort(), []);
  const { choice, isWaiting } = connecting;
  const frame = useRef<HTMLDivElement>(null);
  const error = connecting.error ?? refusal;

  async function connect(chosen: Choice) {
    setRefusal(undefined);
    await connecting.connect(chosen);
  }

  async function signIn(oneTimeCode?: string) {
    const controller = new AbortController();
    cancel.current = controller;
    setRefusal(undefined);
    await authenticate({
      ...(choice?.options ?? {}),
      siwe: true,
      // Who declines in the wallet stays who they are, on the page that they are on.
      keepSession: only !== undefined,
      oneTimeCode,
      signal: controller.signal,
      onError: (problem) => !controller.signal.aborted && setRefusal(problem),
    });
  }

  async function startOver() {
    cancel.current?.abort();
    connecting.cancel();
    setRefusal(undefined);
    await deactivateWeb3();
  }

  const connected = isWeb3Enabled && account !== null;
  const wantsCode = error !== undefined && asksForCode(error);
  const failed = error !== undefined && !wantsCode;
  const isStranger = connected && only !== undefined && !only.includes(account.toLowerCase());
  const steps: { label: string; state: StepState }[] = [
    { label: t("Connect a wallet"), state: connected ? "done" : failed ? "failed" : "now" },
    { label: t("Sign a message to sign in"), state: !connected ? "todo" : failed ? "failed" : "now" },
  ];
  useKeptFocus(frame, `${connected} ${isWaiting} ${failed}`);
  return (
    <div className="stack" ref={frame}>
      <Stepper steps={steps} />
      {connected ? (
        <section className="stack tight" aria-label={t("Connected wallet")}>
          <Address address={account} />
          {chainId && !chainByHexId(settings, chainId) && (
            <Notice kind="warning" title={t("This server does not follow the wallet's chain")}>
              {t("The wallet is on chain {chain}. Signing in works all the same.", { chain: chainId })}
            </Notice>
          )}
          {isStranger ? (
            <Notice kind="warning" title={t("This wallet is not one of your account's")}>
              {t("Switch to the one that you signed in with, or sign out to go on as somebody else.")}
            </Notice>
          ) : (
            <p className="soft">
              {t("The wallet shows a message. Signing it costs nothing and sends nothing.")}
            </p>
          )}
        </section>
      ) : isWaiting && choice ? (
        <WaitingForWallet choice={choice} link={connecting.link} onAgain={() => void connect(choice)} />
      ) : (
        error === undefined && <WalletChoices onChoose={(chosen) => void connect(chosen)} />
      )}
      {failed && (
        <ErrorState
          error={error}
          retry={() => (connected ? void signIn() : choice && void connect(choice))}
        />
      )}
      {wantsCode ? (
        <CodeForm
          error={error}
          busy={isAuthenticating}
          onCode={(code) => void signIn(code)}
          hint={t("The wallet asks for your signature once more.")}
        />
      ) : (
        connected && (
          <Button look="primary" disabled={isStranger} busy={isAuthenticating} onClick={() => void signIn()}>
            {isAuthenticating ? t("Waiting for your signature") : t("Sign in with this wallet")}
          </Button>
        )
      )}
      {(connected || isWaiting || failed) && (
        <Button look="quiet" onClick={() => void startOver()}>
          {isWaiting ? t("Cancel") : t("Use another wallet")}
        </Button>
      )}
    </div>
  );
}

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
import { asksForCode } from "./factorAsked.ts";
import { rememberWallet } from "./recentWallet.ts";
import { type Choice, WalletChoices } from "./WalletChoices.tsx";

/** Two steps that people see as two: connecting the wallet, then signing in with it. */
export function WalletSignIn() {
  const { t } = useTexts();
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
      onSuccess: () => rememberWallet(chosen.id),
      onError: (problem) => !controller.signal.aborted && setError(problem),
    });
    if (cancel.current === controller) setConnecting(false);
  }

  async function signIn(oneTimeCode?: string) {
    const controller = new AbortController();
    cancel.current = controller;
    setError(undefined);
    await authenticate({
      ...(choice?.options ?? {}),
      siwe: true,
      oneTimeCode,
      signal: controller.signal,
      onError: (problem) => !controller.signal.aborted && setError(problem),
    });
  }

  async function startOver() {
    cancel.current?.abort();
    setChoice(undefined);
    setConnecting(false);
    setError(undefined);
    await deactivateWeb3();
  }

  const connected = isWeb3Enabled && account !== null;
  const wantsCode = error !== undefined && asksForCode(error);
  const failed = error !== undefined && !wantsCode;
  const steps: { label: string; state: StepState }[] = [
    { label: t("Connect a wallet"), state: connected ? "done" : failed ? "failed" : "now" },
    { label: t("Sign a message to sign in"), state: !connected ? "todo" : failed ? "failed" : "now" },
  ];
  return (
    <div className="stack">
      <Stepper steps={steps} />
      {connected ? (
        <section className="stack tight" aria-label={t("Connected wallet")}>
          <Address address={account} />
          {chainId && !chainByHexId(settings, chainId) && (
            <Notice kind="warning" title={t("This server does not follow the wallet's chain")}>
              {t("The wallet is on chain {chain}. Signing in works all the same.", { chain: chainId })}
            </Notice>
          )}
          <p className="soft">
            {t("The wallet shows a message. Signing it costs nothing and sends nothing.")}
          </p>
        </section>
      ) : connecting && choice ? (
        <Waiting choice={choice} />
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
          <Button look="primary" busy={isAuthenticating} onClick={() => void signIn()}>
            {isAuthenticating ? t("Waiting for your signature") : t("Sign in with this wallet")}
          </Button>
        )
      )}
      {(connected || connecting || failed) && (
        <Button look="quiet" onClick={() => void startOver()}>
          {connecting ? t("Cancel") : t("Use another wallet")}
        </Button>
      )}
    </div>
  );
}

/** While the wallet has the word. */
function Waiting({ choice }: { choice: Choice }) {
  const { t } = useTexts();
  return (
    <div className="wallet-waiting" role="status">
      {choice.icon && <img src={choice.icon} alt="" width="64" height="64" referrerPolicy="no-referrer" />}
      <p>
        <strong>{t("Waiting for {wallet}", { wallet: choice.name })}</strong>
        <br />
        <span className="soft">{t("Look for its window and allow this page to see your account.")}</span>
      </p>
    </div>
  );
}

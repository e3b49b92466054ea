import { useMoralis } from "@purse/react";
import { Button, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleDashed } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useSettings } from "../../SettingsContext.tsx";
import { useAddress } from "../../wallet/useAddress.ts";
import type { CompletedSteps } from "./completedSteps.ts";

/** Set once the user has hidden the steps. */
const HIDDEN_KEY = "purse/first-steps-hidden";

/** What to try first on a development server, with what is done already. */
export function FirstSteps() {
  const { t } = useTranslation();
  const { development } = useSettings();
  const { user, isAuthenticated, isWeb3Enabled } = useMoralis();
  const hasName = Boolean(user?.get("displayName"));
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(HIDDEN_KEY) !== null);
  const { hasSentCoins, hasRecords } = useCompletedSteps(development && !isHidden);
  if (!development || isHidden) return null;
  return (
    <section className="card stack tight first-steps" aria-labelledby="first-steps">
      <div className="row spread">
        <h2 id="first-steps">{t("First steps")}</h2>
        <Button
          small
          variant="quiet"
          onClick={() => {
            localStorage.setItem(HIDDEN_KEY, "1");
            setIsHidden(true);
          }}
        >
          {t("Hide")}
        </Button>
      </div>
      <ol className="list">
        <Step isDone={isAuthenticated || isWeb3Enabled}>
          <Link to="/sign-in" search={{}}>
            {t("Sign in with a development account")}
          </Link>
          <p className="small soft">{t("It has coins and tokens of the local chain.")}</p>
        </Step>
        <Step isDone={hasSentCoins}>
          <Link to="/send" search={{}}>
            {t("Send coins to another account")}
          </Link>
          <p className="small soft">{t("Simulated before you confirm, followed until it is final.")}</p>
        </Step>
        <Step isDone={hasName}>
          <Link to="/account" search={{}}>
            {t("Choose a display name")}
          </Link>
          <p className="small soft">{t("It replaces your address in the app.")}</p>
        </Step>
        <Step isDone={hasRecords}>
          <Link to="/data" search={{}}>
            {t("Add sample records")}
          </Link>
          <p className="small soft">{t("They appear in every open tab at once.")}</p>
        </Step>
        <Step>
          <a href="/studio">{t("Open the studio")}</a>
          <p className="small soft">{t("The first operator's setup link is in the server's log.")}</p>
        </Step>
        <Step>
          <a href="#connect">{t("Connect your app")}</a>
          <p className="small soft">{t("Install the packages and run the example.")}</p>
        </Step>
      </ol>
    </section>
  );
}

/** The steps of the signed-in user that the server knows of. They load after the page. */
function useCompletedSteps(isShown: boolean): Partial<CompletedSteps> {
  const { user, isInitialized } = useMoralis();
  const { address, chain } = useAddress();
  const [completed, setCompleted] = useState<Partial<CompletedSteps>>({});
  const chainId = chain?.hexId;
  const since = user?.createdAt?.getTime();
  useEffect(() => {
    setCompleted({});
    if (!isShown || !isInitialized || since === undefined) return;
    const controller = new AbortController();
    const { signal } = controller;
    const wallet = address === undefined || chainId === undefined ? undefined : { address, chain: chainId };
    // A step that cannot be read is not marked.
    import("./completedSteps.ts")
      .then(({ readCompletedSteps }) => readCompletedSteps({ wallet, since: new Date(since) }, { signal }))
      .then(
        (found) => signal.aborted || setCompleted(found),
        () => undefined,
      );
    return () => controller.abort();
  }, [isShown, isInitialized, address, chainId, since]);
  return completed;
}

/** A step; without `isDone` it is unknown whether it was done. */
function Step({ isDone, children }: { isDone?: boolean | undefined; children: ReactNode }) {
  const { t } = useTranslation();
  const Icon = isDone ? CircleCheck : CircleDashed;
  return (
    <li className="first-step" data-done={isDone || undefined}>
      <Icon size={20} aria-hidden="true" />
      <div>
        {isDone && <span className="visually-hidden">{t("Done:")} </span>}
        {children}
      </div>
    </li>
  );
}

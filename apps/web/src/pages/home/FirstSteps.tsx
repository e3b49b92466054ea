import { useMoralis } from "@purse/react";
import { Button, LazyExtra, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { CircleCheck, CircleDashed } from "lucide-react";
import { lazy, type ReactNode, useState } from "react";
import { useSettings } from "../../SettingsContext.tsx";
import type { CompletedSteps } from "./StepStates.tsx";

const StepStates = lazy(() => import("./StepStates.tsx").then((module) => ({ default: module.StepStates })));

/** Set once the user has hidden the steps. */
const HIDDEN_KEY = "purse/first-steps-hidden";

/** What to try first on a development server, with what is done already. */
export function FirstSteps() {
  const { t } = useTranslation();
  const { development } = useSettings();
  const { user, isAuthenticated, isWeb3Enabled, isInitialized } = useMoralis();
  const hasName = Boolean(user?.get("displayName"));
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(HIDDEN_KEY) !== null);
  const [completed, setCompleted] = useState<CompletedSteps>();
  const { hasSentCoins, hasRecords } = (user && completed) ?? {};
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
      {isInitialized && user?.id !== undefined && user.createdAt && (
        // If it fails to load, the steps are shown without their states.
        <LazyExtra>
          <StepStates userId={user.id} since={user.createdAt.getTime()} onChange={setCompleted} />
        </LazyExtra>
      )}
    </section>
  );
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

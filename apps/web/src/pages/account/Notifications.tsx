import { ErrorState, QueryState, Skeleton, Switch, useAction, useTranslation } from "@purse/ui";
import { disablePush, enablePush, type PushState, pushState } from "../../notifications/pushSubscription.ts";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { useSettings } from "../../SettingsContext.tsx";

/** Turns notifications on this device on and off; nothing if the server does not send any to browsers. */
export function Notifications() {
  const { t } = useTranslation();
  const { webPush } = useSettings();
  const state = useServerQuery<PushState>({ queryKey: ["push state"], queryFn: pushState, isUncached: true });
  if (!webPush) return null;
  return (
    <section className="card stack narrow" aria-labelledby="notifications">
      <h2 id="notifications">{t("Notifications")}</h2>
      <QueryState query={state} label={t("Loading")} skeleton={<Skeleton width="12rem" height="1.5rem" />}>
        {(data) => (
          <NotificationSwitch state={data} publicKey={webPush.publicKey} onChange={() => state.refetch()} />
        )}
      </QueryState>
      <p className="soft small">{t("This app can send messages to this device, even while it is closed.")}</p>
    </section>
  );
}

interface NotificationSwitchProps {
  state: PushState;
  publicKey: string;
  onChange: () => unknown;
}

function NotificationSwitch({ state, publicKey, onChange }: NotificationSwitchProps) {
  const { t, language } = useTranslation();
  const change = useAction(async (isOn: boolean) => {
    if (isOn) await enablePush(publicKey, language);
    else await disablePush();
    await onChange();
  });
  if (state === "unsupported") {
    return (
      <p>
        {t("This browser has no notifications here. On an iPhone, add this app to the Home Screen first.")}
      </p>
    );
  }
  return (
    <>
      <Switch
        label={t("Notifications on this device")}
        checked={state === "on"}
        disabled={change.busy || state === "blocked"}
        onChange={change.run}
      />
      {state === "blocked" && (
        <p>{t("Notifications are blocked. Allow them in the browser's settings for this site.")}</p>
      )}
      {change.error ? <ErrorState error={change.error} /> : null}
    </>
  );
}

import { ServerOff, WifiOff } from "lucide-react";
import { useEffect, useState, useSyncExternalStore } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import { reachability } from "../query/reachability.ts";

/** Shows in the header that the device is offline or the server unreachable; renders nothing otherwise. */
export function ConnectionState() {
  const { t } = useTranslation();
  const isReachable = useSyncExternalStore(reachability.subscribe, reachability.get);
  const [isOnline, setIsOnline] = useState(navigator.onLine);
  useEffect(() => {
    const update = () => setIsOnline(navigator.onLine);
    window.addEventListener("online", update);
    window.addEventListener("offline", update);
    return () => {
      window.removeEventListener("online", update);
      window.removeEventListener("offline", update);
    };
  }, []);
  return (
    <div role="status" className="connection">
      {!isOnline ? (
        <>
          <WifiOff size={16} aria-hidden="true" />
          <span>{t("You're offline. Data may be out of date.")}</span>
        </>
      ) : !isReachable ? (
        <>
          <ServerOff size={16} aria-hidden="true" />
          <span>{t("Can't reach the server. Retrying…")}</span>
        </>
      ) : null}
    </div>
  );
}

import { FailedRead, formatDuration, formatNumber, useTranslation } from "@purse/ui";
import { useStudioQuery } from "../../components/useStudioQuery.ts";

/** What happens to a call of a function or trigger without a response. */
export function CallPolicy() {
  const { t, language } = useTranslation();
  const settings = useStudioQuery("/hooks/settings", {});
  const { data } = settings;
  if (!data) return <FailedRead query={settings}>{t("Settings could not be loaded")}</FailedRead>;
  return (
    <p className="soft small">
      {t("A call is not repeated: after {time} without a response, the client gets an error.", {
        time: formatDuration(data.timeoutMs, language, "long"),
      })}
    </p>
  );
}

/** When deliveries are repeated. */
export function DeliveryPolicy() {
  const { t, language } = useTranslation();
  const settings = useStudioQuery("/hooks/settings", {});
  const { data } = settings;
  if (!data) return <FailedRead query={settings}>{t("Settings could not be loaded")}</FailedRead>;
  const { attempts, timeoutMs, firstDelayMs, maxDelayMs } = data.deliveries;
  const duration = (ms: number) => formatDuration(ms, language, "long");
  return (
    <p className="soft small">
      {t(
        "A delivery without a response of 200 to 299 within {time} is repeated, up to {attempts} times. The delay grows from {first} to {longest}.",
        {
          time: duration(timeoutMs),
          attempts: formatNumber(attempts - 1, language),
          first: duration(firstDelayMs),
          longest: duration(maxDelayMs),
        },
      )}
    </p>
  );
}

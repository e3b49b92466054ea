import type { StudioHookCall } from "@purse/server/studio-api";
import { Detail, DetailList, formatDuration, RelativeTime, Status, useTranslation } from "@purse/ui";
import { ConnectionNotice } from "../../components/ConnectionNotice.tsx";

/** The outcome of a call with status and duration, and why it failed. */
export function CallFacts({ call }: { call: StudioHookCall }) {
  const { t, language } = useTranslation();
  return (
    <>
      {call.error !== undefined && (
        <ConnectionNotice kind="danger" title={t("Call failed")} error={call.error} />
      )}
      <DetailList>
        <Detail label={t("Result")}>
          <CallOutcome call={call} />
        </Detail>
        <Detail label={t("When")}>
          <RelativeTime at={call.at} />
        </Detail>
        <Detail label={t("Response status")} className="number">
          {call.status ?? t("No response")}
        </Detail>
        <Detail label={t("Duration")} className="number">
          {formatDuration(call.ms, language)}
        </Detail>
      </DetailList>
    </>
  );
}

export function CallOutcome({ call: { isReplay, isTest, error } }: { call: StudioHookCall }) {
  const { t } = useTranslation();
  return (
    <span className="row">
      <Status kind={error === undefined ? "ok" : "danger"}>
        {error === undefined ? t("Succeeded") : t("Failed")}
      </Status>
      {isReplay && <Status kind="info">{t("Replay")}</Status>}
      {isTest && <Status kind="info">{t("Test")}</Status>}
    </span>
  );
}

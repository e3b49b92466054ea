import type { StudioBackupSchedule, StudioBackupState } from "@purse/server/studio-api";
import { Detail, DetailList, Notice, RelativeTime, useTranslation } from "@purse/ui";
import { RowStatus } from "../../components/cells.tsx";
import { ConfirmButton, DialogButton } from "../../components/DialogButton.tsx";
import { Section } from "../../components/Page.tsx";
import { SCHEDULE_LABELS, scheduleName } from "./backupSchedules.ts";
import { ScheduleDialog } from "./ScheduleDialog.tsx";

type ScheduleState = Pick<StudioBackupState, "schedule" | "lastScheduled" | "sendsAlerts">;

/** When backups are created without a request, how many are kept, and how the last one ended. */
export function ScheduledBackups({ schedule, lastScheduled, sendsAlerts }: ScheduleState) {
  const { t } = useTranslation();
  return (
    <Section
      title={t("Scheduled backups")}
      actions={
        <div className="row">
          {schedule && (
            <ConfirmButton
              small
              variant="danger"
              label={t("Turn off")}
              confirm={{
                title: t("Turn off scheduled backups?"),
                description: t("Existing backups are kept."),
                confirmLabel: t("Turn off"),
                danger: true,
              }}
              run={(studio) => studio.delete("/backup-schedule", {})}
              successMessage={t("Scheduled backups are off")}
            />
          )}
          <DialogButton
            small
            label={schedule ? t("Edit schedule") : t("Set up")}
            dialog={(close) => <ScheduleDialog schedule={schedule} onClose={close} />}
          />
        </div>
      }
    >
      {schedule ? (
        <ScheduleDetails schedule={schedule} lastScheduled={lastScheduled} />
      ) : (
        <p className="soft">{t("Off. Backups are only created when you create one here.")}</p>
      )}
      {schedule && lastScheduled?.status === "failed" && (
        <Notice kind="danger" title={t("The last scheduled backup failed")}>
          <bdi>{lastScheduled.message}</bdi>
        </Notice>
      )}
      {schedule && !sendsAlerts && (
        <p className="soft small">
          {t(
            "Nobody is notified if a backup fails. Set PURSE_ALERT_EMAILS or PURSE_ALERT_WEBHOOK_URL to receive alerts.",
          )}
        </p>
      )}
    </Section>
  );
}

interface ScheduleDetailsProps extends Pick<ScheduleState, "lastScheduled"> {
  schedule: StudioBackupSchedule;
}

function ScheduleDetails({ schedule, lastScheduled }: ScheduleDetailsProps) {
  const { t } = useTranslation();
  const name = scheduleName(schedule.cron);
  return (
    <DetailList>
      <Detail label={t("When")}>
        {name === "custom" ? <code>{schedule.cron}</code> : t(SCHEDULE_LABELS[name])}
      </Detail>
      <Detail label={t("Backups to keep")} className="number">
        {t("{n, plural, one {# backup} other {# backups}}", { n: schedule.keep })}
      </Detail>
      <Detail label={t("Next run")}>
        {schedule.nextAt === null ? "–" : <RelativeTime at={schedule.nextAt} />}
      </Detail>
      <Detail label={t("Last run")}>
        {lastScheduled ? (
          <span className="row">
            <RowStatus row={{ status: lastScheduled.status }} />
            <RelativeTime at={lastScheduled.at} />
          </span>
        ) : (
          t("Not yet")
        )}
      </Detail>
    </DetailList>
  );
}

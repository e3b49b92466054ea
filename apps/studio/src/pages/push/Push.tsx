import type { JsonObject } from "@purse/protocol";
import {
  Button,
  DateField,
  ErrorState,
  Field,
  formatNumber,
  MutationDialog,
  requiredText,
  TextArea,
  useForm,
  useTranslation,
} from "@purse/ui";
import { useEffect, useState } from "react";
import * as z from "zod/mini";
import { CutText, RowStatus, RowTime } from "../../components/cells.tsx";
import { jsonObject, numberField, parseJsonObject, stringField } from "../../components/fields.ts";
import { JsonField } from "../../components/JsonField.tsx";
import { ListSection } from "../../components/ListSection.tsx";
import { Page, Section } from "../../components/Page.tsx";
import {
  useInfiniteStudioQuery,
  useStudioMutation,
  useStudioQuery,
} from "../../components/useStudioQuery.ts";
import { useTabDraft } from "../../components/useTabDraft.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { DeviceCombobox } from "./DeviceCombobox.tsx";

/** Composes, tests and sends push notifications, with their history. */
export function Push() {
  const { t } = useTranslation();
  return (
    <Page
      title={t("Push")}
      description={t(
        "Send notifications to devices that have the app installed. Try it on your own device first.",
      )}
      editRole="editor"
    >
      <Composer />
      <PushHistory />
    </Page>
  );
}

const PUSH = z.object({
  title: z.string(),
  alert: requiredText(),
  channels: z.string(),
  where: jsonObject,
  at: z.string(),
  device: z.string(),
});

const NO_PUSH = { title: "", alert: "", channels: "", where: "{}", at: "", device: "" };

/** The query of the audience; undefined if `where` is invalid. `channels` are separated by commas. */
function queryOf(where: string, channels: string): JsonObject | undefined {
  const query = parseJsonObject(where);
  const names = channels
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  if (query.problem !== undefined) return undefined;
  return { ...query.value, ...(names.length > 0 && { channels: { $in: names } }) };
}

function Composer() {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const [draft, saveDraft] = useTabDraft("push", NO_PUSH);
  const form = useForm(PUSH, draft);
  const { title, alert, channels, where, at, device } = form.values;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each change.
  useEffect(() => saveDraft(form.values), Object.values(form.values));
  const [isConfirming, setConfirming] = useState(false);
  const targetQuery = queryOf(where, channels);
  const audience = useStudioQuery(
    "/push/audience",
    { where: targetQuery },
    { enabled: targetQuery !== undefined },
  );
  const data: JsonObject = { alert, ...(title !== "" && { title }) };
  const send = useStudioMutation(
    (studio) =>
      studio.post("/push", {
        where: targetQuery,
        data,
        ...(at !== "" && { push_time: new Date(at).toISOString() }),
      }),
    at === "" ? t("Push notification queued") : t("Push notification scheduled"),
  );
  const test = useStudioMutation(
    (studio) => studio.post("/push/test", { installation: device, data }),
    t("Test notification queued"),
  );
  const isReady = canEdit && form.isValid && audience.data !== undefined;
  return (
    <Section title={t("New push notification")}>
      <div className="halves">
        <div className="stack">
          <Field label={t("Title")} {...form.input("title")} maxLength={200} />
          <TextArea label={t("Message")} rows={3} {...form.input("alert")} maxLength={2000} />
          <p className="label">{t("Preview")}</p>
          <PushPreview title={title || t("(No title)")} alert={alert || t("Your message")} />
        </div>
        <div className="stack">
          <Field
            label={t("Channels")}
            hint={t("Comma-separated. Leave empty to send to everyone who matches the query.")}
            {...form.input("channels")}
            autoComplete="off"
          />
          <JsonField
            label={t("Audience query (_Installation)")}
            hint={t("A query on the _Installation class")}
            {...form.choice("where")}
            rows={3}
          />
          <p role="status" className="number">
            {targetQuery === undefined
              ? "–"
              : audience.data
                ? `${t("{n, plural, one {# device} other {# devices}}", { n: audience.data.installations })}, ${t("{n, number} reachable", { n: audience.data.reachable })}`
                : audience.error
                  ? t("Devices could not be counted")
                  : t("Counting…")}
          </p>
          {audience.error && targetQuery !== undefined ? (
            <ErrorState
              error={audience.error}
              retry={() => void audience.refetch()}
              busy={audience.isFetching}
            />
          ) : null}
          <DateField
            label={t("When")}
            hint={t("Your time zone. Leave empty to send now.")}
            {...form.input("at")}
          />
        </div>
      </div>
      <div className="filters">
        <div className="grow field-wide">
          <DeviceCombobox
            label={t("Test device")}
            hint={t("By type, app or ID; the last used come first.")}
            {...form.choice("device")}
          />
        </div>
        <Button
          disabled={!canEdit || alert.trim() === "" || device === ""}
          busy={test.isPending}
          onClick={() => test.mutate()}
        >
          {t("Send test")}
        </Button>
      </div>
      {test.error && <ErrorState error={test.error} />}
      <div className="row">
        <Button variant="primary" disabled={!isReady} onClick={() => setConfirming(true)}>
          {at === "" ? t("Send") : t("Schedule")}
        </Button>
      </div>
      <MutationDialog
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={t("{n, plural, one {Send to # device?} other {Send to # devices?}}", {
          n: audience.data?.reachable ?? 0,
        })}
        description={t("A sent push notification can't be recalled.")}
        confirmLabel={at === "" ? t("Send") : t("Schedule")}
        mutation={send}
      >
        <PushPreview {...{ title, alert }} />
      </MutationDialog>
    </Section>
  );
}

function PushPreview({ title, alert }: { title: string; alert: string }) {
  return (
    <div className="preview" aria-live="off">
      <div className="grow">
        <p>
          <strong>
            <bdi>{title}</bdi>
          </strong>
        </p>
        <p>
          <bdi>{alert}</bdi>
        </p>
      </div>
    </div>
  );
}

const REFETCH_INTERVAL_MS = 5_000;

function PushHistory() {
  const { t, language } = useTranslation();
  const pushes = useInfiniteStudioQuery("/push/history", {}, REFETCH_INTERVAL_MS);
  return (
    <ListSection
      title={t("History")}
      query={pushes}
      loadingLabel={t("Loading push history…")}
      rowKey={(row) => stringField(row, "objectId")}
      empty={{ title: t("No notifications sent yet") }}
      columns={[
        { label: t("Message"), cell: (row) => <CutText text={messageOf(row)} /> },
        { label: t("Status"), cell: (row) => <RowStatus row={row} /> },
        {
          label: t("Sent"),
          number: true,
          cell: (row) => formatNumber(numberField(row, "numSent") ?? 0, language),
        },
        {
          label: t("Failed"),
          number: true,
          cell: (row) => formatNumber(numberField(row, "numFailed") ?? 0, language),
        },
        { label: t("When"), cell: (row) => <RowTime row={row} /> },
      ]}
    />
  );
}

/** The alert of a `_PushStatus` row, whose payload is a JSON string. */
function messageOf(row: JsonObject): string {
  const payload = parseJsonObject(stringField(row, "payload"));
  if (payload.problem !== undefined) return stringField(row, "payload");
  const { alert } = payload.value;
  return typeof alert === "string" ? alert : JSON.stringify(alert ?? payload.value);
}

import type { JsonObject } from "@purse/protocol";
import { useState } from "react";
import { Button } from "../../../design/Button.tsx";
import { Field, TextArea } from "../../../design/Field.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { Status, type StatusKind } from "../../../design/Status.tsx";
import { EmptyState, ErrorState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useAnswer, useChange, useRows } from "../parts/asking.ts";
import { numberOf, parsedObject, textOf, timeOf } from "../parts/fields.ts";
import { JsonField } from "../parts/JsonField.tsx";
import { Room, Rows, Section } from "../parts/Room.tsx";

interface Audience {
  installations: number;
  reachable: number;
}

/** Messages to people's devices: written, tried on one, sent, and what became of them. */
export function Push() {
  const { t } = useTranslation();
  return (
    <Room
      title={t("Push")}
      about={t("Tell people something where they have the app. Try it on your own device first.")}
      changes="editor"
    >
      <Composer />
      <History />
    </Room>
  );
}

function Composer() {
  const { t, count } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const [title, setTitle] = useState("");
  const [alert, setAlert] = useState("");
  const [channels, setChannels] = useState("");
  const [where, setWhere] = useState("{}");
  const [at, setAt] = useState("");
  const [device, setDevice] = useState("");
  const [isAsking, setAsking] = useState(false);
  const query = parsedObject(where);
  const names = channels
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  const asked: JsonObject | undefined =
    query.problem === undefined
      ? { ...query.value, ...(names.length > 0 && { channels: { $in: names } }) }
      : undefined;
  const audience = useAnswer<Audience>("/push/audience", {
    query: { where: asked },
    enabled: asked !== undefined,
  });
  const data: JsonObject = { alert, ...(title !== "" && { title }) };
  const send = useChange(
    () =>
      studio.post("/push", {
        where: asked,
        data,
        ...(at !== "" && { push_time: new Date(at).toISOString() }),
      }),
    at === "" ? t("The push is on its way.") : t("The push is planned."),
  );
  const test = useChange(
    () => studio.post("/push/test", { installation: device.trim(), data }),
    t("The test is on its way."),
  );
  const isReady = may && alert.trim() !== "" && audience.data !== undefined;
  return (
    <Section title={t("Write a push")}>
      <div className="halves">
        <div className="stack">
          <Field
            label={t("Title")}
            value={title}
            onChange={(event) => setTitle(event.target.value)}
            maxLength={200}
          />
          <TextArea
            label={t("Message")}
            rows={3}
            value={alert}
            onChange={(event) => setAlert(event.target.value)}
            maxLength={2000}
          />
          <p className="label">{t("How it looks")}</p>
          <div className="preview" aria-live="off">
            <div className="grow">
              <p>
                <strong>
                  <bdi>{title || t("Without a title")}</bdi>
                </strong>
              </p>
              <p>
                <bdi>{alert || t("The message stands here.")}</bdi>
              </p>
            </div>
          </div>
        </div>
        <div className="stack">
          <Field
            label={t("Channels")}
            hint={t("With commas between them. Empty: everybody that the condition holds for.")}
            value={channels}
            onChange={(event) => setChannels(event.target.value)}
            autoComplete="off"
          />
          <JsonField
            label={t("Condition on installations")}
            hint={t("A query of the class _Installation.")}
            value={where}
            onChange={setWhere}
            rows={3}
          />
          <p role="status" className="number">
            {audience.data
              ? `${count(audience.data.installations, "{n} installation", "{n} installations")}, ${count(audience.data.reachable, "{n} of them can be reached", "{n} of them can be reached")}`
              : asked === undefined
                ? t("The condition is no JSON yet.")
                : audience.error
                  ? t("The installations could not be counted.")
                  : t("Counting …")}
          </p>
          {audience.error && asked !== undefined ? (
            <ErrorState
              error={audience.error}
              retry={() => void audience.refetch()}
              busy={audience.isFetching}
            />
          ) : null}
          <Field
            label={t("When")}
            hint={t("In your time zone. Empty: at once.")}
            type="datetime-local"
            value={at}
            onChange={(event) => setAt(event.target.value)}
          />
        </div>
      </div>
      <div className="filters">
        <div className="grow field-wide">
          <Field
            label={t("Test device")}
            hint={t("The objectId of one installation.")}
            value={device}
            onChange={(event) => setDevice(event.target.value)}
            autoComplete="off"
            spellCheck={false}
            after={
              <Button
                disabled={!may || alert.trim() === "" || device.trim() === ""}
                busy={test.isPending}
                onClick={() => test.mutate()}
              >
                {t("Send a test")}
              </Button>
            }
          />
        </div>
      </div>
      {test.error && <ErrorState error={test.error} />}
      <div className="row">
        <Button variant="primary" disabled={!isReady} onClick={() => setAsking(true)}>
          {at === "" ? t("Send to all of them") : t("Plan it")}
        </Button>
      </div>
      <Ask
        open={isAsking}
        onClose={() => setAsking(false)}
        title={count(
          audience.data?.reachable ?? 0,
          "Send to {n} installation?",
          "Send to {n} installations?",
        )}
        about={t("A push that has been sent cannot be taken back.")}
        verb={at === "" ? t("Send") : t("Plan it")}
        busy={send.isPending}
        error={send.error}
        onDo={() => send.mutate(undefined, { onSuccess: () => setAsking(false) })}
      >
        <div className="preview">
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
      </Ask>
    </Section>
  );
}

const KIND: Record<string, StatusKind> = {
  succeeded: "ok",
  failed: "danger",
  running: "busy",
  pending: "busy",
  scheduled: "info",
};
const EVERY_MS = 5_000;

function History() {
  const { t } = useTranslation();
  const pushes = useRows("/push/history", {}, EVERY_MS);
  return (
    <Section title={t("What was sent")}>
      <Rows query={pushes} label={t("Loading what was sent")}>
        {(rows) => (
          <Table
            caption={t("What was sent")}
            rows={rows}
            rowKey={(row) => textOf(row, "objectId")}
            empty={<EmptyState title={t("Nothing was sent yet")} />}
            columns={[
              {
                key: "alert",
                label: t("Message"),
                cell: (row) => (
                  <bdi className="cut" title={alertOf(row)}>
                    {alertOf(row)}
                  </bdi>
                ),
              },
              {
                key: "status",
                label: t("Status"),
                cell: (row) => (
                  <Status kind={KIND[textOf(row, "status")] ?? "idle"}>{textOf(row, "status")}</Status>
                ),
              },
              { key: "sent", label: t("Sent"), number: true, cell: (row) => numberOf(row, "numSent") ?? 0 },
              {
                key: "failed",
                label: t("Failed"),
                number: true,
                cell: (row) => numberOf(row, "numFailed") ?? 0,
              },
              {
                key: "at",
                label: t("When"),
                cell: (row) => <RelativeTime at={timeOf(row, "createdAt") ?? ""} />,
              },
            ]}
          />
        )}
      </Rows>
    </Section>
  );
}

/** The message of a row of `_PushStatus`, whose payload is JSON text. */
function alertOf(row: JsonObject): string {
  const payload = parsedObject(textOf(row, "payload"));
  if (payload.problem !== undefined) return textOf(row, "payload");
  const { alert } = payload.value;
  return typeof alert === "string" ? alert : JSON.stringify(alert ?? payload.value);
}

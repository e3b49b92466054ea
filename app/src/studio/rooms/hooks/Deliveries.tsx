import type { JsonObject, StudioHookCall } from "@purse/protocol";
import { Button } from "../../../design/Button.tsx";
import { Select } from "../../../design/Choice.tsx";
import { Code } from "../../../design/Code.tsx";
import { Dialog } from "../../../design/Dialog.tsx";
import { RelativeTime } from "../../../design/RelativeTime.tsx";
import { Notice, Status, type StatusKind } from "../../../design/Status.tsx";
import { EmptyState, ErrorState } from "../../../design/states.tsx";
import { Table } from "../../../design/Table.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay, useStudio } from "../../StudioContext.tsx";
import { useChange, useRows } from "../parts/asking.ts";
import { numberOf, pretty, textOf, timeOf } from "../parts/fields.ts";
import { Rows, Section } from "../parts/Room.tsx";
import { useUrl } from "../parts/useUrl.ts";

const EVERY_MS = 5_000;

/** What servers of functions and triggers were asked, and what they answered. */
export function HookCalls() {
  const { t } = useTranslation();
  const [outcome, setOutcome] = useUrl("outcome");
  const calls = useRows<StudioHookCall>("/hook-calls", { outcome }, EVERY_MS);
  const [id, setId] = useUrl("call");
  const shown = calls.rows?.find((each) => each.id === id);
  return (
    <Section title={t("Calls of functions and triggers")}>
      <div className="filters">
        <Select
          label={t("Outcome")}
          value={outcome === "answered" || outcome === "failed" ? outcome : ""}
          onChange={setOutcome}
          options={[
            { key: "", label: t("All") },
            { key: "answered", label: t("Answered") },
            { key: "failed", label: t("Failed") },
          ]}
        />
      </div>
      <Rows query={calls} label={t("Loading the calls")}>
        {(rows) => (
          <Table
            caption={t("Calls of functions and triggers")}
            rows={rows}
            rowKey={(call) => call.id}
            empty={
              <EmptyState title={t("No call yet")}>
                {t("Each call of a hook is kept here for a while, the last thousand of them.")}
              </EmptyState>
            }
            columns={[
              { key: "hook", label: t("Hook"), cell: ({ hook }) => <code>{hook}</code> },
              { key: "outcome", label: t("Outcome"), cell: (call) => <CallOutcome call={call} /> },
              {
                key: "status",
                label: t("Answered with"),
                number: true,
                hideOnPhone: true,
                cell: ({ status }) => status ?? "–",
              },
              { key: "ms", label: t("Took"), number: true, cell: ({ ms }) => `${ms} ms` },
              { key: "at", label: t("When"), cell: ({ at }) => <RelativeTime at={at} /> },
              {
                key: "show",
                label: <span className="visually-hidden">{t("Actions")}</span>,
                number: true,
                cell: (call) => (
                  <Button
                    small
                    onClick={() => setId(call.id)}
                    aria-label={t("Show the call of {name}", { name: call.hook })}
                  >
                    {t("Show")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Rows>
      {shown && <CallDialog call={shown} onClose={() => setId("")} />}
    </Section>
  );
}

function CallOutcome({ call: { isReplay, error } }: { call: StudioHookCall }) {
  const { t } = useTranslation();
  return (
    <span className="row">
      {error === undefined ? (
        <Status kind="ok">{t("Answered")}</Status>
      ) : (
        <Status kind="danger">{t("Failed")}</Status>
      )}
      {isReplay && <Status kind="info">{t("Replay")}</Status>}
    </span>
  );
}

function CallDialog({ call, onClose }: { call: StudioHookCall; onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const replay = useChange(
    () => studio.post<StudioHookCall>(`/hook-calls/${encodeURIComponent(call.id)}/replay`),
    t("The server was asked the same once more."),
  );
  const latest = replay.data;
  return (
    <Dialog
      open
      onClose={onClose}
      side
      title={call.hook}
      description={call.url}
      actions={
        <Button variant="primary" disabled={!may} busy={replay.isPending} onClick={() => replay.mutate()}>
          {t("Replay")}
        </Button>
      }
    >
      <div className="stack">
        {call.error !== undefined && (
          <Notice kind="danger" title={t("It failed")}>
            <bdi>{call.error}</bdi>
          </Notice>
        )}
        <dl className="facts">
          <dt>{t("When")}</dt>
          <dd>
            <RelativeTime at={call.at} />
          </dd>
          <dt>{t("Answered with")}</dt>
          <dd>{call.status ?? t("Nothing")}</dd>
          <dt>{t("Took")}</dt>
          <dd className="number">{call.ms} ms</dd>
        </dl>
        <Code label={t("What it was told")} text={readable(call.request)} />
        {call.answer !== undefined && <Code label={t("What it answered")} text={readable(call.answer)} />}
        <p className="soft small">
          {t(
            "A replay asks the server the same again and shows what it answers; nothing is saved because of it.",
          )}
        </p>
        {replay.error && <ErrorState error={replay.error} />}
        {latest && (
          <section className="stack tight" aria-label={t("Answer to the replay")}>
            <h3>{t("Answer to the replay")}</h3>
            <CallOutcome call={latest} />
            <Code label={t("Answer to the replay")} text={readable(latest.answer ?? latest.error ?? "")} />
          </section>
        )}
      </div>
    </Dialog>
  );
}

/** JSON with its lines, other text as it is. */
function readable(text: string): string {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}

const KIND: Record<string, StatusKind> = { delivered: "ok", waiting: "busy", failed: "danger" };

/** What web hooks were told of events of chains. */
export function MessageDeliveries() {
  const { t } = useTranslation();
  const [status, setStatus] = useUrl("status");
  const messages = useRows("/deliveries", { status }, EVERY_MS);
  const [id, setId] = useUrl("message");
  const shown = messages.rows?.find((each) => textOf(each, "objectId") === id);
  return (
    <Section title={t("Events of chains")}>
      <div className="filters">
        <Select
          label={t("Status")}
          value={KIND[status] ? status : ""}
          onChange={setStatus}
          options={[
            { key: "", label: t("All") },
            { key: "waiting", label: t("Waiting") },
            { key: "delivered", label: t("Delivered") },
            { key: "failed", label: t("Given up") },
          ]}
        />
      </div>
      <Rows query={messages} label={t("Loading the deliveries")}>
        {(rows) => (
          <Table
            caption={t("Events of chains")}
            rows={rows}
            rowKey={(row) => textOf(row, "objectId")}
            empty={
              <EmptyState title={t("Nothing was told yet")}>
                {t("A watch with a web hook, in Chains, has its server told of each event.")}
              </EmptyState>
            }
            columns={[
              {
                key: "url",
                label: t("To"),
                cell: (row) => (
                  <bdi className="cut" title={textOf(row, "url")}>
                    {textOf(row, "url")}
                  </bdi>
                ),
              },
              { key: "status", label: t("Status"), cell: (row) => <MessageStatus row={row} /> },
              {
                key: "attempts",
                label: t("Tries"),
                number: true,
                cell: (row) => numberOf(row, "attempts") ?? 0,
              },
              {
                key: "at",
                label: t("When"),
                cell: (row) => <RelativeTime at={timeOf(row, "createdAt") ?? ""} />,
              },
              {
                key: "show",
                label: <span className="visually-hidden">{t("Actions")}</span>,
                number: true,
                cell: (row) => (
                  <Button small onClick={() => setId(textOf(row, "objectId"))}>
                    {t("Show")}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Rows>
      {shown && <MessageDialog row={shown} onClose={() => setId("")} />}
    </Section>
  );
}

function MessageStatus({ row }: { row: JsonObject }) {
  const { t } = useTranslation();
  const status = textOf(row, "status");
  const said: Record<string, string> = {
    delivered: t("Delivered"),
    waiting: t("Waiting"),
    failed: t("Given up"),
  };
  return <Status kind={KIND[status] ?? "idle"}>{said[status] ?? status}</Status>;
}

function MessageDialog({ row, onClose }: { row: JsonObject; onClose: () => void }) {
  const { t } = useTranslation();
  const studio = useStudio();
  const may = useMay("editor");
  const again = useChange(
    () => studio.post(`/deliveries/${encodeURIComponent(textOf(row, "objectId"))}/send`),
    t("It is sent once more."),
  );
  const next = timeOf(row, "nextAt");
  const isWaiting = textOf(row, "status") === "waiting";
  return (
    <Dialog
      open
      onClose={onClose}
      side
      title={t("What was told")}
      description={textOf(row, "url")}
      actions={
        <Button variant="primary" disabled={!may} busy={again.isPending} onClick={() => again.mutate()}>
          {isWaiting ? t("Try now") : t("Send once more")}
        </Button>
      }
    >
      <div className="stack">
        <dl className="facts">
          <dt>{t("Status")}</dt>
          <dd>
            <MessageStatus row={row} />
          </dd>
          <dt>{t("Tries")}</dt>
          <dd className="number">{numberOf(row, "attempts") ?? 0}</dd>
          <dt>{t("Answered with")}</dt>
          <dd>{numberOf(row, "answer") ?? t("Nothing")}</dd>
          {isWaiting && next && (
            <>
              <dt>{t("Next try")}</dt>
              <dd>
                <RelativeTime at={next} />
              </dd>
            </>
          )}
        </dl>
        {textOf(row, "error") !== "" && (
          <Notice kind="warning" title={t("The last try failed")}>
            <bdi>{textOf(row, "error")}</bdi>
          </Notice>
        )}
        <Code label={t("What it was told")} text={pretty(row.body ?? null)} />
        {again.error && <ErrorState error={again.error} />}
      </div>
    </Dialog>
  );
}

import type { JsonObject } from "@purse/protocol";
import type { StudioHookCall } from "@purse/server/studio-api";
import {
  Button,
  Code,
  Detail,
  DetailList,
  Dialog,
  ErrorState,
  formatDuration,
  RelativeTime,
  Select,
  useTranslation,
} from "@purse/ui";
import { ConnectionNotice } from "../../components/ConnectionNotice.tsx";
import { CutText, RowStatus, RowTime } from "../../components/cells.tsx";
import { numberField, prettyJson, prettyJsonText, stringField, timeField } from "../../components/fields.ts";
import { ListSection } from "../../components/ListSection.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useInfiniteStudioQuery, useStudioMutation } from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { CallFacts, CallOutcome } from "./CallFacts.tsx";
import { CallPolicy, DeliveryPolicy } from "./RetryPolicy.tsx";

const REFETCH_INTERVAL_MS = 5_000;

/** Calls of function and trigger hooks with request and response. */
export function HookCalls() {
  const { t, language } = useTranslation();
  const [outcomeParam, setOutcome] = useSearchParam("outcome");
  const outcome = outcomeParam === "answered" || outcomeParam === "failed" ? outcomeParam : "";
  const calls = useInfiniteStudioQuery("/hook-calls", { outcome }, REFETCH_INTERVAL_MS);
  const [id, setId] = useSearchParam("call");
  const shown = calls.data?.find((each) => each.id === id);
  return (
    <ListSection
      title={t("Function and trigger calls")}
      query={calls}
      loadingLabel={t("Loading calls…")}
      description={<CallPolicy />}
      filters={
        <Select
          label={t("Result")}
          value={outcome}
          onChange={setOutcome}
          options={{ "": t("All"), answered: t("Succeeded"), failed: t("Failed") }}
        />
      }
      rowKey={(call) => call.id}
      empty={{ title: t("No calls yet"), text: t("The last 1,000 hook calls are kept here.") }}
      onClearFilters={outcome === "" ? undefined : () => setOutcome("")}
      columns={[
        { label: t("Hook"), cell: ({ hook }) => <code>{hook}</code> },
        { label: t("Result"), cell: (call) => <CallOutcome call={call} /> },
        {
          label: t("Response status"),
          number: true,
          cell: ({ status }) => status ?? <span className="soft">{t("No response")}</span>,
        },
        { label: t("Duration"), number: true, cell: ({ ms }) => formatDuration(ms, language) },
        { label: t("When"), cell: ({ at }) => <RelativeTime at={at} /> },
      ]}
      actions={(call) => (
        <Button
          small
          onClick={() => setId(call.id)}
          aria-label={t("Show call of {name}", { name: call.hook })}
        >
          {t("Show")}
        </Button>
      )}
    >
      {shown && <CallDialog call={shown} onClose={() => setId("")} />}
    </ListSection>
  );
}

function CallDialog({ call, onClose }: { call: StudioHookCall; onClose: () => void }) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const replay = useStudioMutation(
    (studio) => studio.post("/hook-calls/:id/replay", { id: call.id }),
    t("Call replayed"),
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
        <Button variant="primary" disabled={!canEdit} busy={replay.isPending} onClick={() => replay.mutate()}>
          {t("Replay")}
        </Button>
      }
    >
      <div className="stack">
        <CallFacts call={call} />
        <Code label={t("Request")} text={prettyJsonText(call.request)} />
        {call.answer !== undefined && <Code label={t("Response")} text={prettyJsonText(call.answer)} />}
        <p className="soft small">
          {t(
            "Replay sends the same request again and shows the response. The response has no effect on stored data.",
          )}
        </p>
        {replay.error && <ErrorState error={replay.error} />}
        {latest && (
          <section className="stack tight" aria-label={t("Replay response")}>
            <h3>{t("Replay response")}</h3>
            <CallFacts call={latest} />
            {latest.answer !== undefined && (
              <Code label={t("Replay response")} text={prettyJsonText(latest.answer)} />
            )}
          </section>
        )}
      </div>
    </Dialog>
  );
}

/** Webhook deliveries of chain events. */
export function WebhookDeliveries() {
  const { t } = useTranslation();
  const [statusParam, setStatus] = useSearchParam("status");
  const status = ["waiting", "delivered", "failed"].includes(statusParam) ? statusParam : "";
  const deliveries = useInfiniteStudioQuery("/deliveries", { status }, REFETCH_INTERVAL_MS);
  const [id, setId] = useSearchParam("message");
  const shown = deliveries.data?.find((each) => stringField(each, "objectId") === id);
  return (
    <ListSection
      title={t("Chain events")}
      query={deliveries}
      loadingLabel={t("Loading deliveries…")}
      description={<DeliveryPolicy />}
      filters={
        <Select
          label={t("Status")}
          value={status}
          onChange={setStatus}
          options={{ "": t("All"), waiting: t("Waiting"), delivered: t("Delivered"), failed: t("Failed") }}
        />
      }
      rowKey={(row) => stringField(row, "objectId")}
      empty={{
        title: t("No deliveries yet"),
        text: t("Add a listener with a webhook under Chains to send its events to a server."),
      }}
      onClearFilters={status === "" ? undefined : () => setStatus("")}
      columns={[
        { label: t("To"), cell: (row) => <CutText text={stringField(row, "url")} /> },
        { label: t("Status"), cell: (row) => <RowStatus row={row} /> },
        { label: t("Attempts"), number: true, cell: (row) => numberField(row, "attempts") ?? 0 },
        { label: t("When"), cell: (row) => <RowTime row={row} /> },
      ]}
      actions={(row) => (
        <Button small onClick={() => setId(stringField(row, "objectId"))}>
          {t("Show")}
        </Button>
      )}
    >
      {shown && <DeliveryDialog row={shown} onClose={() => setId("")} />}
    </ListSection>
  );
}

function DeliveryDialog({ row, onClose }: { row: JsonObject; onClose: () => void }) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const resend = useStudioMutation(
    (studio) => studio.post("/deliveries/:objectId/send", { objectId: stringField(row, "objectId") }),
    t("Delivery queued"),
  );
  const next = timeField(row, "nextAt");
  const isWaiting = stringField(row, "status") === "waiting";
  return (
    <Dialog
      open
      onClose={onClose}
      side
      title={t("Delivery")}
      description={stringField(row, "url")}
      actions={
        <Button variant="primary" disabled={!canEdit} busy={resend.isPending} onClick={() => resend.mutate()}>
          {isWaiting ? t("Retry now") : t("Resend")}
        </Button>
      }
    >
      <div className="stack">
        <DetailList>
          <Detail label={t("Status")}>
            <RowStatus row={row} />
          </Detail>
          <Detail label={t("Attempts")} className="number">
            {numberField(row, "attempts") ?? 0}
          </Detail>
          <Detail label={t("Response status")}>{numberField(row, "answer") ?? t("None")}</Detail>
          {isWaiting && next && (
            <Detail label={t("Next attempt")}>
              <RelativeTime at={next} />
            </Detail>
          )}
        </DetailList>
        {stringField(row, "error") !== "" && (
          <ConnectionNotice
            kind="warning"
            title={t("Last attempt failed")}
            error={stringField(row, "error")}
          />
        )}
        <Code label={t("Request")} text={prettyJson(row.body ?? null)} />
        {resend.error && <ErrorState error={resend.error} />}
      </div>
    </Dialog>
  );
}

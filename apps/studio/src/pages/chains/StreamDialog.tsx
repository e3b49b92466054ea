import type { JsonObject } from "@purse/protocol";
import {
  Button,
  Detail,
  DetailList,
  Dialog,
  ErrorState,
  formatNumber,
  QueryState,
  useTranslation,
} from "@purse/ui";
import { ConnectionNotice } from "../../components/ConnectionNotice.tsx";
import { RowStatus, RowTime } from "../../components/cells.tsx";
import { numberField, stringField } from "../../components/fields.ts";
import { ListSection } from "../../components/ListSection.tsx";
import {
  useInfiniteStudioQuery,
  useStudioMutation,
  useStudioQuery,
} from "../../components/useStudioQuery.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { StreamStatus, streamName } from "./StreamStatus.tsx";

const REFETCH_INTERVAL_MS = 5_000;

/** A stream with its counters and last deliveries. */
export function StreamDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const canEdit = useHasRole("editor");
  const query = useStudioQuery(
    "/streams/:objectId",
    { objectId: id },
    { refetchInterval: REFETCH_INTERVAL_MS },
  );
  const isPaused = query.data?.stream.status === "paused";
  const setStatus = useStudioMutation(
    (studio) =>
      studio.post("/streams/:objectId/status", { objectId: id, status: isPaused ? "active" : "paused" }),
    isPaused ? t("Stream resumed") : t("Stream paused"),
  );
  const retry = useStudioMutation(
    (studio) => studio.post("/streams/:objectId/retry", { objectId: id }),
    t("Deliveries queued"),
  );
  return (
    <Dialog
      open
      onClose={onClose}
      side
      title={query.data ? streamName(query.data.stream) : t("Stream")}
      description={query.data ? stringField(query.data.stream, "webhookUrl") : ""}
      actions={
        <>
          <Button
            disabled={!canEdit || (query.data?.failed ?? 0) === 0}
            busy={retry.isPending}
            onClick={() => retry.mutate()}
          >
            {t("Retry failed deliveries")}
          </Button>
          <Button
            variant="primary"
            disabled={!canEdit || !query.data}
            busy={setStatus.isPending}
            onClick={() => setStatus.mutate()}
          >
            {isPaused ? t("Resume") : t("Pause")}
          </Button>
        </>
      }
    >
      <div className="stack">
        <QueryState query={query} label={t("Loading stream…")}>
          {(data) => <StreamFacts {...data} />}
        </QueryState>
        {setStatus.error && <ErrorState error={setStatus.error} />}
        {retry.error && <ErrorState error={retry.error} />}
        <StreamDeliveries id={id} />
      </div>
    </Dialog>
  );
}

interface StreamFactsProps {
  stream: JsonObject;
  addresses: number;
  waiting: number;
  failed: number;
}

function StreamFacts({ stream, addresses, waiting, failed }: StreamFactsProps) {
  const { t, language } = useTranslation();
  const chains = Array.isArray(stream.chainIds) ? stream.chainIds.map((each) => Number(each)) : [];
  const counters = [
    [t("Addresses"), stream.allAddresses === true ? t("All contracts") : formatNumber(addresses, language)],
    [t("Delivered"), formatNumber(numberField(stream, "webhooksDelivered") ?? 0, language)],
    [t("Failed attempts"), formatNumber(numberField(stream, "webhooksFailed") ?? 0, language)],
    [t("Waiting"), formatNumber(waiting, language)],
    [t("Failed"), formatNumber(failed, language)],
    [t("Logs"), formatNumber(numberField(stream, "logsProcessed") ?? 0, language)],
    [t("Transactions"), formatNumber(numberField(stream, "txsProcessed") ?? 0, language)],
    [t("Internal transactions"), formatNumber(numberField(stream, "txsInternalProcessed") ?? 0, language)],
  ] as const;
  return (
    <>
      {stringField(stream, "statusMessage") !== "" && (
        <ConnectionNotice
          kind="warning"
          title={t("Last attempt failed")}
          error={stringField(stream, "statusMessage")}
        />
      )}
      <DetailList>
        <Detail label={t("Status")}>
          <StreamStatus row={stream} />
        </Detail>
        <Detail label={t("Chains")} className="number">
          {chains.join(", ")}
        </Detail>
        {counters.map(([label, value]) => (
          <Detail key={label} label={label} className="number">
            {value}
          </Detail>
        ))}
      </DetailList>
    </>
  );
}

function StreamDeliveries({ id }: { id: string }) {
  const { t, language } = useTranslation();
  const canEdit = useHasRole("editor");
  const deliveries = useInfiniteStudioQuery(
    "/streams/:objectId/deliveries",
    { objectId: id, limit: 20 },
    REFETCH_INTERVAL_MS,
  );
  const resend = useStudioMutation(
    (studio, deliveryId: string) =>
      studio.post("/streams/:objectId/deliveries/:deliveryId/send", { objectId: id, deliveryId }),
    t("Delivery queued"),
  );
  return (
    <ListSection
      title={t("Last deliveries")}
      query={deliveries}
      loadingLabel={t("Loading deliveries…")}
      rowKey={(row) => stringField(row, "objectId")}
      empty={{ title: t("No deliveries yet") }}
      columns={[
        {
          label: t("Block"),
          number: true,
          cell: (row) => formatBlock(stringField(row, "blockNumber"), language),
        },
        { label: t("Confirmed"), cell: (row) => (row.confirmed === true ? t("Yes") : t("No")) },
        { label: t("Status"), cell: (row) => <RowStatus row={row} /> },
        { label: t("When"), cell: (row) => <RowTime row={row} /> },
      ]}
      actions={(row) => (
        <Button
          small
          disabled={!canEdit}
          onClick={() => resend.mutate(stringField(row, "objectId"))}
          aria-label={t("Resend block {number}", { number: stringField(row, "blockNumber") })}
        >
          {t("Resend")}
        </Button>
      )}
    >
      {resend.error && <ErrorState error={resend.error} />}
    </ListSection>
  );
}

/** A block number, which the API writes as text. */
function formatBlock(text: string, language: string): string {
  return /^\d+$/.test(text) ? formatNumber(BigInt(text), language) : text;
}

import type { JsonObject } from "@purse/protocol";
import { Button, formatNumber, useTranslation } from "@purse/ui";
import { CutText, RowTime } from "../../components/cells.tsx";
import { numberField, stringField, timeField } from "../../components/fields.ts";
import { ListSection } from "../../components/ListSection.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useInfiniteStudioQuery } from "../../components/useStudioQuery.ts";
import { StreamDialog } from "./StreamDialog.tsx";
import { StreamStatus, streamName } from "./StreamStatus.tsx";

const REFETCH_INTERVAL_MS = 5_000;

/** Streams to webhooks with their counters. */
export function Streams() {
  const { t, language } = useTranslation();
  const streams = useInfiniteStudioQuery("/streams", {}, REFETCH_INTERVAL_MS);
  const [id, setId] = useSearchParam("stream");
  const count = (row: JsonObject, name: string) => formatNumber(numberField(row, name) ?? 0, language);
  return (
    <ListSection
      title={t("Streams")}
      query={streams}
      loadingLabel={t("Loading streams…")}
      rowKey={(row) => stringField(row, "objectId")}
      empty={{
        title: t("No streams yet"),
        text: t(
          "A stream sends what happens to many addresses to a webhook. Create one with the streams API.",
        ),
      }}
      columns={[
        { label: t("Name"), cell: (row) => <CutText text={streamName(row)} /> },
        { label: t("Status"), cell: (row) => <StreamStatus row={row} /> },
        {
          label: t("Webhook URL"),
          hideOnPhone: true,
          cell: (row) => <CutText text={stringField(row, "webhookUrl")} />,
        },
        { label: t("Delivered"), number: true, cell: (row) => count(row, "webhooksDelivered") },
        { label: t("Failed attempts"), number: true, cell: (row) => count(row, "webhooksFailed") },
        {
          label: t("Last delivery"),
          hideOnPhone: true,
          cell: (row) =>
            timeField(row, "lastDeliveredAt") === undefined ? (
              t("None")
            ) : (
              <RowTime row={row} field="lastDeliveredAt" />
            ),
        },
      ]}
      actions={(row) => (
        <Button
          small
          onClick={() => setId(stringField(row, "objectId"))}
          aria-label={t("Show stream {name}", { name: streamName(row) })}
        >
          {t("Show")}
        </Button>
      )}
    >
      {id !== "" && <StreamDialog id={id} onClose={() => setId("")} />}
    </ListSection>
  );
}

import type { JsonObject, JsonValue } from "@purse/protocol";
import { Checkbox, Field, Select, TextArea, useTranslation } from "@purse/ui";
import { useState } from "react";
import { FormDialog } from "../../components/FormDialog.tsx";
import {
  numberField,
  objectField,
  parseJsonObject,
  prettyJson,
  stringField,
} from "../../components/fields.ts";
import { JsonField } from "../../components/JsonField.tsx";
import { useStudioMutation } from "../../components/queries.ts";
import { useStudio } from "../../StudioContext.tsx";
import type { Chain } from "./ChainTable.tsx";

const TRANSFER_ABI = prettyJson([
  {
    type: "event",
    name: "Transfer",
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "value", type: "uint256" },
    ],
  },
]);
const DELETE_OPERATION: JsonObject = { __op: "Delete" };

/** Creates or edits a chain listener; the server validates it. */
export function WatchForm({
  chains,
  row,
  onClose,
}: {
  chains: readonly Chain[];
  row: JsonObject | undefined;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const studio = useStudio();
  const [kind, setKind] = useState<"event" | "address">(row && row.abi === undefined ? "address" : "event");
  const [chainId, setChainId] = useState(row ? stringField(row, "chainId") : String(chains[0]?.chain ?? ""));
  const [address, setAddress] = useState(row ? stringField(row, "address") : "");
  const [tableName, setTableName] = useState(row ? stringField(row, "tableName") : "");
  const [topic, setTopic] = useState(row ? stringField(row, "topic") : "Transfer(address,address,uint256)");
  const [abi, setAbi] = useState(row?.abi ? prettyJson(row.abi) : TRANSFER_ABI);
  const [filter, setFilter] = useState(row ? prettyJson(objectField(row, "filter") ?? {}) : "{}");
  const [confirmations, setConfirmations] = useState(
    String((row && numberField(row, "confirmations")) ?? ""),
  );
  const [webhook, setWebhook] = useState(row ? stringField(row, "webhook") : "");
  const [isHistorical, setHistorical] = useState(row ? row.sync_historical === true : true);
  const parsedAbi = parseAbi(abi);
  const parsedFilter = parseJsonObject(filter);
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(address.trim());
  const confirmationCount = Number(confirmations);
  const confirmationsProblem =
    confirmations !== "" && !(Number.isSafeInteger(confirmationCount) && confirmationCount >= 0)
      ? t("Enter a whole number, or leave empty.")
      : undefined;
  const save = useStudioMutation(
    () => {
      const optional = (value: JsonValue | undefined): JsonValue | undefined =>
        value !== undefined ? value : row ? DELETE_OPERATION : undefined;
      const isEvent = kind === "event";
      const values: Record<string, JsonValue | undefined> = {
        chainId,
        address: address.trim(),
        tableName: optional(tableName.trim() || undefined),
        topic: optional(isEvent ? topic.trim() || undefined : undefined),
        abi: optional(isEvent ? parsedAbi : undefined),
        filter: optional(
          parsedFilter.problem === undefined && Object.keys(parsedFilter.value).length > 0
            ? parsedFilter.value
            : undefined,
        ),
        confirmations: optional(confirmations === "" ? undefined : confirmationCount),
        webhook: optional(webhook.trim() || undefined),
        sync_historical: isHistorical,
      };
      const fields: JsonObject = {};
      for (const [name, value] of Object.entries(values)) if (value !== undefined) fields[name] = value;
      return row
        ? studio.put(`/watches/${encodeURIComponent(stringField(row, "objectId"))}`, { fields })
        : studio.post("/watches", { fields });
    },
    row ? t("Listener updated") : t("Listener created"),
  );
  return (
    <FormDialog
      onClose={onClose}
      title={row ? t("Edit listener") : t("Add listener")}
      confirmLabel={row ? t("Save") : t("Add")}
      wide
      mutation={save}
      disabled={
        !isAddress ||
        (kind === "event" && (parsedAbi === undefined || tableName.trim() === "")) ||
        parsedFilter.problem !== undefined ||
        confirmationsProblem !== undefined
      }
    >
      <Select
        label={t("Source")}
        value={kind}
        onChange={setKind}
        options={[
          { key: "event", label: t("Contract event") },
          { key: "address", label: t("Transfers of an address") },
        ]}
      />
      <Select
        label={t("Chain")}
        value={chainId}
        onChange={setChainId}
        options={chains.map(({ chain, name }) => ({ key: String(chain), label: `${name} (${chain})` }))}
      />
      <Field
        label={kind === "event" ? t("Contract address") : t("Address")}
        value={address}
        onChange={(event) => setAddress(event.target.value)}
        problem={
          address !== "" && !isAddress
            ? t("Invalid address: expected 0x followed by 40 hex characters.")
            : undefined
        }
        autoComplete="off"
        spellCheck={false}
      />
      <Field
        label={t("Target class")}
        hint={kind === "event" ? undefined : t("Default: WalletTransfers")}
        value={tableName}
        onChange={(event) => setTableName(event.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
      {kind === "event" && (
        <>
          <Field
            label={t("Event")}
            hint={t("Event signature or topic hash")}
            value={topic}
            onChange={(event) => setTopic(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
          <div className="mono-field">
            <TextArea
              label={t("Event ABI")}
              value={abi}
              onChange={(event) => setAbi(event.target.value)}
              problem={parsedAbi === undefined ? t("Enter a JSON array or object.") : undefined}
              rows={6}
              spellCheck={false}
            />
          </div>
        </>
      )}
      <JsonField
        label={t("Filter")}
        hint={t("A condition on the event fields, for example {example}. Leave empty to match all events.", {
          example: '{ "gt": ["value", "1000"] }',
        })}
        value={filter}
        onChange={setFilter}
        rows={3}
      />
      <Field
        label={t("Confirmations")}
        hint={t("Default: 12")}
        inputMode="numeric"
        value={confirmations}
        onChange={(event) => setConfirmations(event.target.value)}
        problem={confirmationsProblem}
      />
      <Field
        label={t("Webhook URL")}
        hint={t("Optional. Receives a request for every object.")}
        type="url"
        value={webhook}
        onChange={(event) => setWebhook(event.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <Checkbox label={t("Include history (backfill)")} checked={isHistorical} onChange={setHistorical} />
    </FormDialog>
  );
}

/** Accepts an ABI array, or a single ABI item. */
function parseAbi(text: string): JsonValue[] | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    if (Array.isArray(value)) return value;
    return typeof value === "object" && value !== null ? [value] : undefined;
  } catch {
    return undefined;
  }
}

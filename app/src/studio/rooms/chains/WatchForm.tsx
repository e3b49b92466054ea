import type { JsonObject, JsonValue } from "@purse/protocol";
import { useState } from "react";
import { Checkbox, Select } from "../../../design/Choice.tsx";
import { Field, TextArea } from "../../../design/Field.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useStudio } from "../../StudioContext.tsx";
import { Ask } from "../parts/Ask.tsx";
import { useChange } from "../parts/asking.ts";
import { numberOf, objectOf, parsedObject, pretty, textOf } from "../parts/fields.ts";
import { JsonField } from "../parts/JsonField.tsx";
import type { Chain } from "./ChainTable.tsx";

const TRANSFER = pretty([
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
const DELETE: JsonObject = { __op: "Delete" };

/** A new watch or a changed one; the server judges whether it can be read. */
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
  const [chainId, setChainId] = useState(row ? textOf(row, "chainId") : String(chains[0]?.chain ?? ""));
  const [address, setAddress] = useState(row ? textOf(row, "address") : "");
  const [tableName, setTableName] = useState(row ? textOf(row, "tableName") : "");
  const [topic, setTopic] = useState(row ? textOf(row, "topic") : "Transfer(address,address,uint256)");
  const [abi, setAbi] = useState(row?.abi ? pretty(row.abi) : TRANSFER);
  const [filter, setFilter] = useState(row ? pretty(objectOf(row, "filter") ?? {}) : "{}");
  const [confirmations, setConfirmations] = useState(String((row && numberOf(row, "confirmations")) ?? ""));
  const [webhook, setWebhook] = useState(row ? textOf(row, "webhook") : "");
  const [isHistorical, setHistorical] = useState(row ? row.sync_historical === true : true);
  const readAbi = abiIn(abi);
  const readFilter = parsedObject(filter);
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(address.trim());
  const depth = Number(confirmations);
  const depthProblem =
    confirmations !== "" && !(Number.isSafeInteger(depth) && depth >= 0)
      ? t("A whole number, or nothing.")
      : undefined;
  const save = useChange(
    () => {
      const optional = (value: JsonValue | undefined): JsonValue | undefined =>
        value !== undefined ? value : row ? DELETE : undefined;
      const isEvent = kind === "event";
      const wanted: Record<string, JsonValue | undefined> = {
        chainId,
        address: address.trim(),
        tableName: optional(tableName.trim() || undefined),
        topic: optional(isEvent ? topic.trim() || undefined : undefined),
        abi: optional(isEvent ? readAbi : undefined),
        filter: optional(
          readFilter.problem === undefined && Object.keys(readFilter.value).length > 0
            ? readFilter.value
            : undefined,
        ),
        confirmations: optional(confirmations === "" ? undefined : depth),
        webhook: optional(webhook.trim() || undefined),
        sync_historical: isHistorical,
      };
      const fields: JsonObject = {};
      for (const [name, value] of Object.entries(wanted)) if (value !== undefined) fields[name] = value;
      return row
        ? studio.put(`/watches/${encodeURIComponent(textOf(row, "objectId"))}`, { fields })
        : studio.post("/watches", { fields });
    },
    row ? t("The watch is changed.") : t("It is watched."),
  );
  return (
    <Ask
      open
      onClose={onClose}
      title={row ? t("Change the watch") : t("Add a watch")}
      verb={row ? t("Save") : t("Watch")}
      wide
      busy={save.isPending}
      error={save.error}
      disabled={
        !isAddress ||
        (kind === "event" && (readAbi === undefined || tableName.trim() === "")) ||
        readFilter.problem !== undefined ||
        depthProblem !== undefined
      }
      onDo={() => save.mutate(undefined, { onSuccess: onClose })}
    >
      <Select
        label={t("What becomes an object")}
        value={kind}
        onChange={setKind}
        options={[
          { key: "event", label: t("Each event of a contract") },
          { key: "address", label: t("What an address moves") },
        ]}
      />
      <Select
        label={t("Chain")}
        value={chainId}
        onChange={setChainId}
        options={chains.map(({ chain, name }) => ({ key: String(chain), label: `${name} (${chain})` }))}
      />
      <Field
        label={kind === "event" ? t("Address of the contract") : t("Address")}
        value={address}
        onChange={(event) => setAddress(event.target.value)}
        problem={
          address !== "" && !isAddress
            ? t("An address has 0x and 40 digits and letters from a to f.")
            : undefined
        }
        autoComplete="off"
        spellCheck={false}
      />
      <Field
        label={t("Class of the objects")}
        hint={kind === "event" ? undefined : t("Empty: WalletTransfers.")}
        value={tableName}
        onChange={(event) => setTableName(event.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
      {kind === "event" && (
        <>
          <Field
            label={t("Event")}
            hint={t("Its signature or its topic.")}
            value={topic}
            onChange={(event) => setTopic(event.target.value)}
            autoComplete="off"
            spellCheck={false}
          />
          <div className="mono-field">
            <TextArea
              label={t("ABI of the event")}
              value={abi}
              onChange={(event) => setAbi(event.target.value)}
              problem={readAbi === undefined ? t("That must be a list or an object of JSON.") : undefined}
              rows={6}
              spellCheck={false}
            />
          </div>
        </>
      )}
      <JsonField
        label={t("Only where")}
        hint={t("A condition on the fields, as {example}. Empty: always.", {
          example: '{ "gt": ["value", "1000"] }',
        })}
        value={filter}
        onChange={setFilter}
        rows={3}
      />
      <Field
        label={t("Blocks until it is held for sure")}
        hint={t("Empty: 12.")}
        inputMode="numeric"
        value={confirmations}
        onChange={(event) => setConfirmations(event.target.value)}
        problem={depthProblem}
      />
      <Field
        label={t("Web hook")}
        hint={t("A server that is told of every object. Empty: none.")}
        type="url"
        value={webhook}
        onChange={(event) => setWebhook(event.target.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <Checkbox label={t("Also what happened before now")} checked={isHistorical} onChange={setHistorical} />
    </Ask>
  );
}

/** The class of watches keeps lists; one event by itself is a list of one. */
function abiIn(text: string): JsonValue[] | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    if (Array.isArray(value)) return value;
    return typeof value === "object" && value !== null ? [value] : undefined;
  } catch {
    return undefined;
  }
}

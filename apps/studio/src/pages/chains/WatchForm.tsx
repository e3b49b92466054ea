import type { JsonObject, JsonValue } from "@purse/protocol";
import type { StudioChain } from "@purse/server/studio-api";
import {
  address,
  Checkbox,
  Field,
  FormDialog,
  NO_MESSAGE,
  optionalNumber,
  optionalText,
  Select,
  TextArea,
  useForm,
  useTranslation,
} from "@purse/ui";
import * as z from "zod/mini";
import { chainLabel } from "../../components/chainLabel.ts";
import {
  definedFields,
  jsonObject,
  numberField,
  objectField,
  prettyJson,
  stringField,
} from "../../components/fields.ts";
import { JsonField } from "../../components/JsonField.tsx";
import { useStudioMutation } from "../../components/useStudioQuery.ts";

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

const WATCH = z
  .object({
    kind: z.enum(["event", "address"]),
    chainId: z.string(),
    address,
    tableName: optionalText,
    topic: optionalText,
    abi: z.pipe(z.string(), z.transform(parseAbi)),
    filter: jsonObject,
    confirmations: optionalNumber(
      (value) => Number.isSafeInteger(value) && value >= 0,
      "Enter a whole number, or leave empty.",
    ),
    webhook: optionalText,
    isHistorical: z.boolean(),
  })
  .check(
    z.refine(({ kind, tableName }) => kind === "address" || tableName !== "", NO_MESSAGE),
    z.refine(({ kind, abi }) => kind === "address" || abi !== undefined, {
      path: ["abi"],
      error: "Enter a JSON array or object.",
    }),
  );

export interface WatchFormProps {
  chains: readonly StudioChain[];
  row: JsonObject | undefined;
  onClose: () => void;
}

/** Creates or edits a chain listener; the server validates it. */
export function WatchForm({ chains, row, onClose }: WatchFormProps) {
  const { t } = useTranslation();
  const form = useForm(WATCH, {
    kind: row && row.abi === undefined ? "address" : "event",
    chainId: row ? stringField(row, "chainId") : String(chains[0]?.chain ?? ""),
    address: row ? stringField(row, "address") : "",
    tableName: row ? stringField(row, "tableName") : "",
    topic: row ? stringField(row, "topic") : "Transfer(address,address,uint256)",
    abi: row?.abi ? prettyJson(row.abi) : TRANSFER_ABI,
    filter: row ? prettyJson(objectField(row, "filter") ?? {}) : "{}",
    confirmations: String((row && numberField(row, "confirmations")) ?? ""),
    webhook: row ? stringField(row, "webhook") : "",
    isHistorical: row ? row.sync_historical === true : true,
  });
  const { kind } = form.values;
  const save = useStudioMutation(
    (studio, values: z.infer<typeof WATCH>) => {
      const optional = (value: JsonValue | undefined) => value || (row ? DELETE_OPERATION : undefined);
      const isEvent = values.kind === "event";
      const { confirmations, filter } = values;
      const fields = definedFields({
        chainId: values.chainId,
        address: values.address,
        tableName: optional(values.tableName),
        topic: optional(isEvent ? values.topic : undefined),
        abi: optional(isEvent ? values.abi : undefined),
        filter: optional(Object.keys(filter).length > 0 ? filter : undefined),
        confirmations: confirmations === 0 ? 0 : optional(confirmations),
        webhook: optional(values.webhook),
        sync_historical: values.isHistorical,
      });
      return row
        ? studio.put("/watches/:objectId", { objectId: stringField(row, "objectId"), fields })
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
      form={form}
      mutation={save}
    >
      <Select
        label={t("Source")}
        {...form.choice("kind")}
        options={{ event: t("Contract event"), address: t("Transfers of an address") }}
      />
      <Select
        label={t("Chain")}
        {...form.choice("chainId")}
        options={chains.map(({ chain, name, title }) => ({
          key: String(chain),
          label: `${chainLabel({ name, title }, t)} (${chain})`,
        }))}
      />
      <Field
        label={kind === "event" ? t("Contract address") : t("Address")}
        {...form.input("address")}
        isCode
      />
      <Field
        label={t("Target class")}
        hint={kind === "event" ? undefined : t("Default: WalletTransfers")}
        {...form.input("tableName")}
        isCode
      />
      {kind === "event" && (
        <>
          <Field
            label={t("Event")}
            hint={t("Event signature or topic hash")}
            {...form.input("topic")}
            isCode
          />
          <div className="mono-field">
            <TextArea label={t("Event ABI")} {...form.input("abi")} rows={6} spellCheck={false} />
          </div>
        </>
      )}
      <JsonField
        label={t("Filter")}
        hint={t("A condition on the event fields, for example {example}. Leave empty to match all events.", {
          example: '{ "gt": ["value", "1000"] }',
        })}
        {...form.choice("filter")}
        rows={3}
      />
      <Field
        label={t("Confirmations")}
        hint={t("Default: 12")}
        inputMode="numeric"
        {...form.input("confirmations")}
      />
      <Field
        label={t("Webhook URL")}
        hint={t("Optional. Receives a request for every object.")}
        type="url"
        {...form.input("webhook")}
        isCode
      />
      <Checkbox label={t("Include history (backfill)")} {...form.toggle("isHistorical")} />
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

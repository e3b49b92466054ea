import type { ChainEvent, Selection } from "@purse/chain";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { argumentFields, decimalField, eventFields } from "./eventFields.ts";

/** How a value of an event can be compared. */
export type FieldKind = "integer" | "address" | "hex" | "boolean" | "text" | "other";

/** The values of a filter's names, by selection; integers also as `…_decimal` and, as Moralis wrote it, `…_decimals`. */
const TRANSFER: Readonly<Record<string, FieldKind>> = {
  kind: "text",
  from_address: "address",
  to_address: "address",
  value: "integer",
};
const LOG: Readonly<Record<string, FieldKind>> = { address: "address", log_index: "integer" };
const FIELDS_OF = {
  transactions: {
    ...TRANSFER,
    transaction_index: "integer",
    nonce: "integer",
    gas: "integer",
    gas_price: "integer",
    gas_used: "integer",
    input: "hex",
    succeeded: "boolean",
  },
  erc20: { ...TRANSFER, ...LOG },
  nft: { ...TRANSFER, ...LOG, token_id: "integer", operator: "address" },
  logs: {
    ...LOG,
    topic0: "hex",
    topic1: "hex",
    topic2: "hex",
    topic3: "hex",
    data: "hex",
    transaction_index: "integer",
  },
} as const satisfies Partial<Record<Selection["kind"], Record<string, FieldKind>>>;

/** Returns the names that a filter of these selections can compare. */
export function filterFields(selections: readonly Selection[]): Map<string, FieldKind> {
  const fields = new Map<string, FieldKind>();
  for (const selection of selections) {
    for (const [name, kind] of fieldsOf(selection)) {
      if (kind === "integer") for (const alias of decimalNames(name)) fields.set(alias, kind);
      fields.set(name, kind);
    }
  }
  return fields;
}

/** Returns the values that a filter compares, under all names of `filterFields`. */
export function filterValues(event: ChainEvent): JsonObject {
  const { args, ...own } = event.fields;
  const named: JsonObject = { ...own, ...(isJsonObject(args) && args), ...eventFields(event) };
  const aliases: JsonObject = {};
  for (const [name, value] of Object.entries(named)) {
    const isInteger = typeof value === "number" || (typeof value === "string" && /^-?\d{1,80}$/.test(value));
    // Exact, unlike the approximate number in the object.
    if (isInteger) for (const alias of decimalNames(name)) aliases[alias] = value;
  }
  return { ...named, ...aliases };
}

function decimalNames(name: string): string[] {
  return [decimalField(name), `${decimalField(name)}s`];
}

function fieldsOf(selection: Selection): [string, FieldKind][] {
  switch (selection.kind) {
    case "event": {
      const inputs = selection.event.inputs.map((input, i): [string, FieldKind] => [
        input.name || String(i),
        kindOf(input.type, input.indexed === true),
      ]);
      const names = argumentFields(inputs.map(([name]) => name));
      const stored = inputs.map(([name, kind]): [string, FieldKind] => [names.get(name) ?? name, kind]);
      return [...Object.entries(LOG), ...stored, ...inputs];
    }
    case "erc20Token":
      return Object.entries(FIELDS_OF.erc20);
    case "nftToken":
      return Object.entries(FIELDS_OF.nft);
    default:
      return Object.entries(FIELDS_OF[selection.kind]);
  }
}

/** Of indexed arguments without a fixed size, logs have the hash only. */
function kindOf(type: string, isIndexed: boolean): FieldKind {
  if (/[\]]$|^tuple/.test(type)) return isIndexed ? "hex" : "other";
  if (/^u?int/.test(type)) return "integer";
  if (type === "address") return "address";
  if (type === "bool") return "boolean";
  if (type === "string") return isIndexed ? "hex" : "text";
  return "hex";
}

import { ownValue } from "@purse/protocol";
import { type Filter, type FilterOperator, parseFilters, stringParam } from "@purse/ui";
import { isFieldName } from "./classes.ts";

/** The state of the data page in the URL. */
export interface DataSearch {
  class?: string | undefined;
  where?: Filter[] | undefined;
  /** A field; a leading `-` sorts in descending order. */
  sort?: string | undefined;
  /** `own` shows records the user can edit, `shared` those shared by name or role. */
  whose?: "own" | "shared" | undefined;
  /** The ID of the open record, or `new`. */
  record?: string | undefined;
}

export function parseSearch(search: Record<string, unknown>): DataSearch {
  const { where } = search;
  return {
    class: stringParam(search.class),
    where: typeof where === "string" ? parseFormerFilters(where) : parseFilters(where),
    sort: stringParam(search.sort),
    whose: search.whose === "own" || search.whose === "shared" ? search.whose : undefined,
    record: stringParam(search.record),
  };
}

/** The operators of former links. */
const FORMER_OPERATORS: Readonly<Record<string, FilterOperator>> = {
  is: "is",
  not: "isNot",
  has: "contains",
  more: "more",
  less: "less",
  set: "there",
  unset: "missing",
};

/** Parses the filters of former links: `field~operator~value`, joined by `|`. Invalid ones are ignored. */
function parseFormerFilters(text: string): Filter[] {
  return text.split("|").flatMap((each): Filter[] => {
    const [field = "", name = "", ...rest] = each.split("~");
    const operator = ownValue(FORMER_OPERATORS, name);
    if (!isFieldName(field) || !operator) return [];
    try {
      return [{ field, operator, value: parseFormerValue(field, decodeURIComponent(rest.join("~"))) }];
    } catch {
      return [];
    }
  });
}

/** Parses numbers, booleans and dates; quoted and other values are text. */
function parseFormerValue(field: string, text: string) {
  const plain = text.trim();
  if (/^-?\d+(\.\d+)?$/.test(plain)) return Number(plain);
  if (plain === "true" || plain === "false") return plain === "true";
  if (/^\d{4}-\d\d-\d\d(T[\d:.]+Z?)?$/.test(plain) || field === "createdAt" || field === "updatedAt")
    return { __type: "Date", iso: new Date(plain).toISOString() };
  return /^".*"$/s.test(plain) ? plain.slice(1, -1) : text;
}

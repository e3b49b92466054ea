import type { Query } from "@purse/client";

export const OPERATORS = {
  is: "is",
  not: "is not",
  has: "contains",
  more: "greater than",
  less: "less than",
  set: "is set",
  unset: "is empty",
} as const;

export type Operator = keyof typeof OPERATORS;

/** A filter, serialized in the URL as `field~operator~value`. */
export interface Filter {
  field: string;
  operator: Operator;
  /** A JSON value or text. */
  value: string;
}

const FIELD = /^[A-Za-z]\w{0,127}$/;
/** Further filters in the URL are ignored. */
const MAX_FILTERS = 10;

export function isFieldName(name: string): boolean {
  return FIELD.test(name);
}

/** Parses filters from the URL and ignores invalid ones. */
export function parseFilters(text: string | undefined): Filter[] {
  if (!text) return [];
  return text
    .split("|")
    .slice(0, MAX_FILTERS)
    .flatMap((each) => {
      const [field = "", operator = "", ...value] = each.split("~");
      if (!isFieldName(field) || !isOperator(operator)) return [];
      try {
        return [{ field, operator, value: decodeURIComponent(value.join("~")) }];
      } catch {
        return [];
      }
    });
}

export function serializeFilters(filters: readonly Filter[]): string | undefined {
  const texts = filters.map(({ field, operator, value }) => {
    const safe = encodeURIComponent(value).replaceAll("~", "%7E");
    return `${field}~${operator}~${safe}`;
  });
  return texts.join("|") || undefined;
}

export function takesValue(operator: Operator): boolean {
  return operator !== "set" && operator !== "unset";
}

/** Applies filters and a sort order (`-field` descends) to a query. */
export function applyFilters(query: Query, filters: readonly Filter[], sort: string): Query {
  for (const { field, operator, value } of filters) {
    const parsed = parseFilterValue(field, value);
    if (operator === "is") query.equalTo(field, parsed);
    else if (operator === "not") query.notEqualTo(field, parsed);
    else if (operator === "has") query.contains(field, value);
    else if (operator === "more") query.greaterThan(field, parsed);
    else if (operator === "less") query.lessThan(field, parsed);
    else if (operator === "set") query.exists(field);
    else query.doesNotExist(field);
  }
  return sort.startsWith("-") ? query.descending(sort.slice(1)) : query.ascending(sort);
}

/** Parses numbers, booleans and dates; quoted and other values are text. */
function parseFilterValue(field: string, text: string): unknown {
  const plain = text.trim();
  if (/^-?\d+(\.\d+)?$/.test(plain)) return Number(plain);
  if (plain === "true" || plain === "false") return plain === "true";
  if (/^\d{4}-\d\d-\d\d(T[\d:.]+Z?)?$/.test(plain) || field === "createdAt" || field === "updatedAt") {
    const date = new Date(plain);
    if (!Number.isNaN(date.getTime())) return date;
  }
  return /^".*"$/s.test(plain) ? plain.slice(1, -1) : text;
}

function isOperator(text: string): text is Operator {
  return Object.hasOwn(OPERATORS, text);
}

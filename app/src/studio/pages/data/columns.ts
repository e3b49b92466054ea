import type { FieldType } from "@purse/protocol";

/** A class as `/schema` tells it. */
export interface DataClass {
  className: string;
  fields: Record<string, FieldType>;
}

export interface Column {
  name: string;
  type: FieldType["type"];
  /** Of pointers and relations. */
  targetClass?: string;
  /** In pixels. */
  width: number;
  isPinned: boolean;
  isHidden: boolean;
}

/** What somebody has made of the columns of a class. Fields that it does not name are where the schema has them. */
export interface Layout {
  order: string[];
  widths: Record<string, number>;
  hidden: string[];
  pinned: string[];
}

export const MIN_WIDTH = 64;
export const MAX_WIDTH = 900;
const DEFAULT_LAYOUT: Layout = { order: [], widths: {}, hidden: [], pinned: ["objectId"] };
/** After the fields of the application. */
const TRAILING_FIELDS = ["ACL", "createdAt", "updatedAt"];
/** Nobody is shown what these hold. */
const SECRET_FIELDS = new Set(["password", "sessionToken"]);

/** All columns in the order in which they stand, the pinned ones first. */
export function columnsOf({ fields }: DataClass, layout: Layout): Column[] {
  const names = Object.keys(fields).filter((name) => !SECRET_FIELDS.has(name));
  const rank = (name: string) => (name === "objectId" ? -1 : TRAILING_FIELDS.indexOf(name) + 1);
  const inSchema = names.sort((a, b) => rank(a) - rank(b));
  const saved = layout.order.filter((name) => inSchema.includes(name));
  // A new field stands where the schema has it: before the first of those that follow it there.
  const order = [...saved];
  for (const [i, name] of inSchema.entries()) {
    if (order.includes(name)) continue;
    const follower = inSchema.slice(i + 1).find((each) => saved.includes(each));
    order.splice(follower === undefined ? order.length : order.indexOf(follower), 0, name);
  }
  const columns = order.flatMap((name): Column[] => {
    const field = fields[name];
    if (!field) return [];
    return [
      {
        name,
        type: field.type,
        ...("targetClass" in field && field.targetClass !== undefined && { targetClass: field.targetClass }),
        width: clampWidth(layout.widths[name] ?? WIDTHS[field.type] ?? 180),
        isPinned: layout.pinned.includes(name),
        isHidden: layout.hidden.includes(name),
      },
    ];
  });
  return [...columns.filter(({ isPinned }) => isPinned), ...columns.filter(({ isPinned }) => !isPinned)];
}

const WIDTHS: Readonly<Record<string, number>> = {
  Number: 130,
  Boolean: 110,
  Date: 220,
  Pointer: 200,
  ACL: 200,
};

export function clampWidth(width: number): number {
  return Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Number.isFinite(width) ? width : 180)));
}

/** A column so many places further, among those that are pinned as it is. */
export function moveBy(columns: readonly Column[], name: string, by: number): string[] {
  const names = columns.map((column) => column.name);
  const from = names.indexOf(name);
  const to = from + by;
  if (columns[from]?.isPinned !== columns[to]?.isPinned) return names;
  names.splice(from, 1);
  names.splice(to, 0, name);
  return names;
}

/** A column at the place of another. */
export function moveTo(columns: readonly Column[], name: string, to: string): string[] {
  const names = columns.map((column) => column.name);
  return moveBy(columns, name, names.indexOf(to) - names.indexOf(name));
}

export function toggle(names: readonly string[], name: string): string[] {
  return names.includes(name) ? names.filter((each) => each !== name) : [...names, name];
}

const storageKey = (className: string) => `purse.studio.columns.${className}`;

/** What this browser keeps of a class; the beginning where it keeps nothing that can be read. */
export function loadLayout(className: string, storage: Pick<Storage, "getItem">): Layout {
  try {
    const saved: unknown = JSON.parse(storage.getItem(storageKey(className)) ?? "null");
    if (typeof saved !== "object" || saved === null) return DEFAULT_LAYOUT;
    const strings = (value: unknown) =>
      Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
    const { order, widths, hidden, pinned }: { [name: string]: unknown } = { ...saved };
    const numbers = Object.entries(typeof widths === "object" && widths !== null ? widths : {}).filter(
      (entry): entry is [string, number] => typeof entry[1] === "number",
    );
    return {
      order: strings(order),
      widths: Object.fromEntries(numbers),
      hidden: strings(hidden),
      pinned: strings(pinned),
    };
  } catch {
    // Storage that is forbidden, or holds something else: the columns are as the schema has them.
    return DEFAULT_LAYOUT;
  }
}

export function saveLayout(className: string, layout: Layout, storage: Pick<Storage, "setItem">): void {
  try {
    storage.setItem(storageKey(className), JSON.stringify(layout));
  } catch {
    // A browser that keeps nothing shows the columns as they are until the page is left.
  }
}

import { type FieldType, ownValue } from "@purse/protocol";
import { type DataField, dataFieldsOf, loadJson, saveJson } from "@purse/ui";

/** A class as returned by `/schema`. */
export interface DataClass {
  className: string;
  fields: Record<string, FieldType>;
}

export interface Column extends DataField {
  /** In pixels. */
  width: number;
  isPinned: boolean;
  isHidden: boolean;
}

/** The saved column layout of a class. Fields that are not listed keep their schema position. */
export interface Layout {
  order: string[];
  widths: Record<string, number>;
  hidden: string[];
  pinned: string[];
}

export const MIN_WIDTH = 64;
export const MAX_WIDTH = 900;
const DEFAULT_LAYOUT: Layout = { order: [], widths: {}, hidden: [], pinned: ["objectId"] };

/** All columns in display order, pinned ones first. */
export function columnsOf({ fields }: DataClass, layout: Layout): Column[] {
  const inSchema = dataFieldsOf(fields);
  const byName = new Map(inSchema.map((field) => [field.name, field]));
  const saved = layout.order.filter((name) => byName.has(name));
  // New fields keep their schema position.
  const order = [...saved];
  for (const [i, { name }] of inSchema.entries()) {
    if (order.includes(name)) continue;
    const follower = inSchema.slice(i + 1).find((each) => saved.includes(each.name));
    order.splice(follower === undefined ? order.length : order.indexOf(follower.name), 0, name);
  }
  const columns = order.flatMap((name): Column[] => {
    const field = byName.get(name);
    if (!field) return [];
    return [
      {
        ...field,
        width: clampWidth(ownValue(layout.widths, name) ?? WIDTHS[field.type] ?? 180),
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

/** Moves a column by a number of positions, within pinned or unpinned columns. */
export function moveBy(columns: readonly Column[], name: string, by: number): string[] {
  const names = columns.map((column) => column.name);
  const from = names.indexOf(name);
  const to = from + by;
  if (columns[from]?.isPinned !== columns[to]?.isPinned) return names;
  names.splice(from, 1);
  names.splice(to, 0, name);
  return names;
}

/** Moves a column to the position of another. */
export function moveTo(columns: readonly Column[], name: string, to: string): string[] {
  const names = columns.map((column) => column.name);
  return moveBy(columns, name, names.indexOf(to) - names.indexOf(name));
}

export function toggle(names: readonly string[], name: string): string[] {
  return names.includes(name) ? names.filter((each) => each !== name) : [...names, name];
}

const storageKey = (className: string) => `purse.studio.columns.${className}`;

/** Loads the saved layout of a class; invalid or missing data gives the default. */
export function loadLayout(className: string, storage: Pick<Storage, "getItem">): Layout {
  const saved = loadJson(storage, storageKey(className));
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
}

export function saveLayout(className: string, layout: Layout, storage: Pick<Storage, "setItem">): void {
  saveJson(storage, storageKey(className), layout);
}

import {
  type Condition,
  compileMatcher,
  conditionCost,
  isPointer,
  type JsonObject,
  type JsonValue,
  type Matcher,
  type MatcherParts,
  type Operand,
  PATTERN_COST,
} from "@purse/protocol";
import type { LiveClient } from "./client.ts";

/** One query that one client follows. */
export interface Subscription {
  client: LiveClient;
  requestId: number | string;
  className: string;
  where: Condition;
  /** What makes two wheres the same one. */
  whereText: string;
  sessionToken: string | undefined;
  /** What the token stands for. */
  session?: { userId: string; sessionId: string; sessionToken: string };
  /** The position of the last event that its client had; it is told what it missed. */
  resumeFrom: string | undefined;
  /** Changes up to this one have been told. */
  told: number;
  /** Fields that events carry; undefined means all. */
  fields: string[] | undefined;
  /** Updates are told only when one of these changed; undefined means always. */
  watch: string[] | undefined;
}

/** Subscriptions that ask the same: matched once for all of them. */
export interface Group {
  readonly whereText: string;
  /** Undefined where it holds a pattern: that is matched in a thread. */
  readonly matches: Matcher | undefined;
  /** As `conditionCost` counts. */
  readonly cost: number;
  /** Whom the cost of its matching is put down to: where that is high, all its subscriptions come from there. */
  readonly address: string;
  /** Changes that it waits to be matched with in a thread: later ones have to wait for them. */
  pending: number;
  /** By credentials: those with the same see the same. */
  readonly audiences: Map<string, Set<Subscription>>;
}

/** What a group may cost, in comparisons of simple values, to be matched with a change on the event loop. */
const MAX_INLINE_COST = 50_000;
/** An object has about one value in so many characters. */
const CHARS_PER_VALUE = 64;

/** Whether a change of objects of so many characters may be matched on the event loop. */
export function isInline(group: Group, chars: number): group is Group & { matches: Matcher } {
  if (!group.matches || group.pending > 0) return false;
  return group.cost * (1 + chars / CHARS_PER_VALUE) <= MAX_INLINE_COST;
}

/** A field whose value decides whether a group can match at all. */
interface Anchor {
  field: string;
  keys: string[];
}

interface ClassIndex {
  groups: Map<string, Group & { anchor: Anchor | undefined }>;
  /** Groups without an anchor: every change has to be matched with them. */
  scanned: Set<Group>;
  /** Field → key of a value → groups. */
  anchored: Map<string, Map<string, Set<Group>>>;
}

/** A longer `$in` is scanned rather than entered under every value. */
const MAX_ANCHOR_KEYS = 100;

/**
 * All subscriptions, so arranged that a change is matched only with those it can concern: by class,
 * then by the value of a field that the where fixes.
 */
export class SubscriptionIndex {
  readonly #classes = new Map<string, ClassIndex>();
  readonly #usageAt = new Map<string, { count: number; queryLength: number }>();
  readonly #parts: MatcherParts;

  constructor(parts: MatcherParts) {
    this.#parts = parts;
  }

  /** How many subscriptions the sockets of an address have. */
  countAt(address: string): number {
    return this.#usageAt.get(address)?.count ?? 0;
  }

  /** How many characters the wheres have that the sockets of an address follow. */
  queryLengthAt(address: string): number {
    return this.#usageAt.get(address)?.queryLength ?? 0;
  }

  classNames(): string[] {
    return [...this.#classes.keys()];
  }

  ofClass(className: string): Subscription[] {
    const groups = [...(this.#classes.get(className)?.groups.values() ?? [])];
    return groups.flatMap(({ audiences }) => [...audiences.values()].flatMap((audience) => [...audience]));
  }

  /** The matcher of a where that subscriptions have in common. Throws 102 for one that cannot be followed. */
  compile(where: Condition): Matcher {
    return compileMatcher(where, this.#parts);
  }

  /** Answers the group that it belongs to now. Throws 102 for a regular expression that cannot be read. */
  add(subscription: Subscription): Group {
    const { className, where, whereText } = subscription;
    const index: ClassIndex = this.#classes.get(className) ?? {
      groups: new Map(),
      scanned: new Set(),
      anchored: new Map(),
    };
    const groupKey = groupKeyOf(subscription);
    let group = index.groups.get(groupKey);
    if (!group) {
      const cost = conditionCost(where);
      group = {
        whereText,
        matches: cost < PATTERN_COST ? compileMatcher(where, this.#parts) : undefined,
        cost,
        address: subscription.client.address,
        pending: 0,
        audiences: new Map(),
        anchor: anchorOf(where),
      };
      index.groups.set(groupKey, group);
      for (const set of placesOf(group, index)) set.add(group);
    }
    const key = audienceOf(subscription);
    const audience = group.audiences.get(key) ?? new Set();
    group.audiences.set(key, audience.add(subscription));
    this.#count(subscription, 1);
    this.#classes.set(className, index);
    return group;
  }

  remove(subscription: Subscription): void {
    const index = this.#classes.get(subscription.className);
    const groupKey = groupKeyOf(subscription);
    const group = index?.groups.get(groupKey);
    if (!index || !group) return;
    const key = audienceOf(subscription);
    const audience = group.audiences.get(key);
    if (!audience?.delete(subscription)) return;
    this.#count(subscription, -1);
    if (audience.size === 0) group.audiences.delete(key);
    if (group.audiences.size > 0) return;
    index.groups.delete(groupKey);
    for (const set of placesOf(group, index)) set.delete(group);
    prune(group.anchor, index);
    if (index.groups.size === 0) this.#classes.delete(subscription.className);
  }

  #count({ client: { address }, whereText }: Subscription, by: 1 | -1): void {
    const count = this.countAt(address) + by;
    const queryLength = this.queryLengthAt(address) + by * whereText.length;
    if (count > 0) this.#usageAt.set(address, { count, queryLength });
    else this.#usageAt.delete(address);
  }

  /** The groups that a change of these objects can concern. */
  candidates(className: string, before: JsonObject | null, after: JsonObject | null): Set<Group> {
    const index = this.#classes.get(className);
    const found = new Set<Group>(index?.scanned);
    if (!index) return found;
    for (const [field, byKey] of index.anchored) {
      for (const object of [before, after]) {
        const value = object && Object.hasOwn(object, field) ? object[field] : undefined;
        for (const item of Array.isArray(value) ? value : [value]) {
          const key = keyOf(item);
          if (key) for (const group of byKey.get(key) ?? []) found.add(group);
        }
      }
    }
    return found;
  }
}

/** Those that are expensive to match are matched for each address by itself. */
function groupKeyOf({ where, whereText, client }: Subscription): string {
  return conditionCost(where) >= SHARED_BELOW_COST ? `${whereText} ${client.address}` : whereText;
}

/** Groups of this cost and more are not shared among addresses. */
const SHARED_BELOW_COST = 1_000;

function audienceOf({ client, sessionToken }: Subscription): string {
  if (client.master) return "master";
  return sessionToken === undefined ? "anonymous" : `session ${sessionToken}`;
}

function placesOf(group: Group & { anchor: Anchor | undefined }, index: ClassIndex): Set<Group>[] {
  const { anchor } = group;
  if (!anchor) return [index.scanned];
  const byKey = index.anchored.get(anchor.field) ?? new Map<string, Set<Group>>();
  index.anchored.set(anchor.field, byKey);
  return anchor.keys.map((key) => {
    const set = byKey.get(key) ?? new Set<Group>();
    byKey.set(key, set);
    return set;
  });
}

function prune(anchor: Anchor | undefined, { anchored }: ClassIndex): void {
  const byKey = anchor && anchored.get(anchor.field);
  if (!anchor || !byKey) return;
  for (const key of anchor.keys) if (byKey.get(key)?.size === 0) byKey.delete(key);
  if (byKey.size === 0) anchored.delete(anchor.field);
}

/** The most telling equality that every match has to fulfil. */
function anchorOf(where: Condition): Anchor | undefined {
  if (where.kind === "and") {
    const anchors = where.conditions.map(anchorOf).filter((anchor) => anchor !== undefined);
    return anchors.find(({ keys }) => keys.every((key) => !key.startsWith("boolean"))) ?? anchors[0];
  }
  if (where.kind === "eq") return anchorOn(where.path, [where.operand]);
  if (where.kind === "in") return anchorOn(where.path, where.operands);
  return undefined;
}

function anchorOn([field, ...rest]: [string, ...string[]], operands: Operand[]): Anchor | undefined {
  if (rest.length > 0 || operands.length > MAX_ANCHOR_KEYS) return undefined;
  const keys = operands.map(operandKey).filter((key) => key !== undefined);
  return keys.length === operands.length ? { field, keys } : undefined;
}

function operandKey(operand: Operand): string | undefined {
  return operand.type === "date" || operand.type === "json" || operand.type === "null"
    ? undefined
    : keyOf(operand.value);
}

function keyOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return `${typeof value} ${value}`;
  }
  return isPointer(value) ? `pointer ${value.className} ${value.objectId}` : undefined;
}

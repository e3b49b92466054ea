import {
  type Condition,
  compileMatcher,
  conditionCost,
  isPointer,
  type JsonObject,
  type JsonValue,
  type Matcher,
  type MatcherOptions,
  type Operand,
  PATTERN_COST,
  type ProtocolError,
} from "@purse/protocol";
import type { SharedText } from "./sharedText.ts";

/** A client of live queries, as its subscriptions know it. */
export interface Subscriber {
  readonly id: string;
  readonly ip: string;
  /** The key under which limits count it. */
  readonly address: string;
  readonly installationId: string | undefined;
  /** Whether it sent the master key. */
  readonly hasMasterKey: boolean;
  /** By request ID. */
  readonly subscriptions: ReadonlyMap<number | string, Subscription>;
  /** Sends the message of an event: what is its own, and the end that others get too. */
  sendEvent(head: string, tail: SharedText): void;
  send(text: string): void;
  sendError(error: ProtocolError, requestId?: number | string): void;
  /** Ends one subscription with an error. */
  endSubscription(subscription: Subscription, reason: ProtocolError): void;
  /** Ends the subscriptions of a session that has ended. */
  endSession(subscription: Subscription, reason: ProtocolError): void;
  /** Notifies the client that it may have missed changes and has to query again. */
  sendRefetch(subscription: Subscription, position: string): void;
  /** Closes its socket with a WebSocket close code. */
  close(code: number, reason: string): void;
}

/** One query that a client subscribes to. */
export interface Subscription {
  client: Subscriber;
  requestId: number | string;
  className: string;
  where: Condition;
  /** JSON text of the condition; equal texts share a group. */
  whereText: string;
  sessionToken: string | undefined;
  /** The session of the token. */
  session?: { userId: string; sessionId: string; sessionToken: string };
  /** The position of the last event that the client received; missed events are replayed. */
  resumeFrom: string | undefined;
  /** Sequence number up to which changes have been delivered. */
  deliveredPosition: number;
  /** Fields that events contain; undefined for all. */
  fields: string[] | undefined;
  /** Updates are delivered only if one of these fields changed; undefined for all updates. */
  watch: string[] | undefined;
}

/** Subscriptions with the same condition, which is matched once for all of them. */
export interface Group {
  readonly whereText: string;
  /** Undefined for a condition with a pattern, which is matched in a thread. */
  readonly matches: Matcher | undefined;
  /** Cost as calculated by `conditionCost`. */
  readonly cost: number;
  /**
   * The address that the cost of matching is attributed to: expensive groups contain subscriptions of one address only.
   */
  readonly address: string;
  /** Number of changes that wait to be matched in a thread: later ones have to wait for them. */
  pendingMatches: number;
  /** Subscribers with the same credentials see the same changes. */
  readonly subscribersByCredential: Map<string, Set<Subscription>>;
}

/** Maximum cost, in comparisons of simple values, of matching a group with a change on the event loop. */
const MAX_INLINE_COST = 50_000;
/** Estimated number of characters per value of an object. */
const CHARS_PER_VALUE = 64;

/** Whether a change of this many characters may be matched on the event loop. */
export function isInline(group: Group, chars: number): group is Group & { matches: Matcher } {
  if (!group.matches || group.pendingMatches > 0) return false;
  return group.cost * (1 + chars / CHARS_PER_VALUE) <= MAX_INLINE_COST;
}

/** A field whose value is required for a group to match. */
interface IndexKey {
  field: string;
  valueKeys: string[];
}

interface ClassIndex {
  groups: Map<string, Group & { indexKey: IndexKey | undefined }>;
  /** Groups without an index key, which have to be matched with every change. */
  unindexed: Set<Group>;
  /** Field → key of its value → groups. */
  byIndexKey: Map<string, Map<string, Set<Group>>>;
}

/** A longer `$in` is not indexed. */
const MAX_INDEX_KEY_VALUES = 100;

/**
 * Indexes subscriptions, so that a change is matched only with those that it may affect: by class, then by the value of
 * a field that the condition requires.
 */
export class SubscriptionIndex {
  readonly #classes = new Map<string, ClassIndex>();
  readonly #usageByAddress = new Map<string, { count: number; queryLength: number }>();
  readonly #matcherOptions: MatcherOptions;

  constructor(matcherOptions: MatcherOptions) {
    this.#matcherOptions = matcherOptions;
  }

  /** Number of subscriptions of the sockets of an address. */
  subscriptionCountOf(address: string): number {
    return this.#usageByAddress.get(address)?.count ?? 0;
  }

  /** Number of characters of the conditions that the sockets of an address subscribe to. */
  queryLengthOf(address: string): number {
    return this.#usageByAddress.get(address)?.queryLength ?? 0;
  }

  classNames(): string[] {
    return [...this.#classes.keys()];
  }

  ofClass(className: string): Subscription[] {
    const groups = [...(this.#classes.get(className)?.groups.values() ?? [])];
    return groups.flatMap(({ subscribersByCredential }) =>
      [...subscribersByCredential.values()].flatMap((subscribers) => [...subscribers]),
    );
  }

  /** Compiles a condition. Throws 102 if live queries do not support it. */
  compile(where: Condition): Matcher {
    return compileMatcher(where, this.#matcherOptions);
  }

  /** Adds a subscription and returns its group. Throws 102 for an invalid regular expression. */
  add(subscription: Subscription): Group {
    const { className, where, whereText } = subscription;
    const index: ClassIndex = this.#classes.get(className) ?? {
      groups: new Map(),
      unindexed: new Set(),
      byIndexKey: new Map(),
    };
    const groupKey = groupKeyOf(subscription);
    let group = index.groups.get(groupKey);
    if (!group) {
      const cost = conditionCost(where);
      group = {
        whereText,
        matches: cost < PATTERN_COST ? compileMatcher(where, this.#matcherOptions) : undefined,
        cost,
        address: subscription.client.address,
        pendingMatches: 0,
        subscribersByCredential: new Map(),
        indexKey: indexKeyOf(where),
      };
      index.groups.set(groupKey, group);
      for (const set of groupSetsOf(group, index)) set.add(group);
    }
    const key = credentialKeyOf(subscription);
    const subscribers = group.subscribersByCredential.get(key) ?? new Set();
    group.subscribersByCredential.set(key, subscribers.add(subscription));
    this.#updateUsage(subscription, 1);
    this.#classes.set(className, index);
    return group;
  }

  remove(subscription: Subscription): void {
    const index = this.#classes.get(subscription.className);
    const groupKey = groupKeyOf(subscription);
    const group = index?.groups.get(groupKey);
    if (!index || !group) return;
    const key = credentialKeyOf(subscription);
    const subscribers = group.subscribersByCredential.get(key);
    if (!subscribers?.delete(subscription)) return;
    this.#updateUsage(subscription, -1);
    if (subscribers.size === 0) group.subscribersByCredential.delete(key);
    if (group.subscribersByCredential.size > 0) return;
    index.groups.delete(groupKey);
    for (const set of groupSetsOf(group, index)) set.delete(group);
    pruneIndexKey(group.indexKey, index);
    if (index.groups.size === 0) this.#classes.delete(subscription.className);
  }

  #updateUsage({ client: { address }, whereText }: Subscription, delta: 1 | -1): void {
    const count = this.subscriptionCountOf(address) + delta;
    const queryLength = this.queryLengthOf(address) + delta * whereText.length;
    if (count > 0) this.#usageByAddress.set(address, { count, queryLength });
    else this.#usageByAddress.delete(address);
  }

  /** Returns the groups that a change of these objects may affect. */
  candidates(className: string, before: JsonObject | null, after: JsonObject | null): Set<Group> {
    const index = this.#classes.get(className);
    const found = new Set<Group>(index?.unindexed);
    if (!index) return found;
    for (const [field, groupsByValue] of index.byIndexKey) {
      for (const object of [before, after]) {
        const value = object && Object.hasOwn(object, field) ? object[field] : undefined;
        const items: (JsonValue | undefined)[] = Array.isArray(value) ? value : [value];
        // Conditions may name a pointer by its id alone.
        if (isPointer(value)) items.push(value.objectId);
        for (const item of items) {
          const key = valueKeyOf(item);
          if (key) for (const group of groupsByValue.get(key) ?? []) found.add(group);
        }
      }
    }
    return found;
  }
}

/** Groups that are expensive to match are not shared among addresses. */
function groupKeyOf({ where, whereText, client }: Subscription): string {
  return conditionCost(where) >= MIN_UNSHARED_COST ? `${whereText} ${client.address}` : whereText;
}

/** Groups of at least this cost are not shared among addresses. */
const MIN_UNSHARED_COST = 1_000;

function credentialKeyOf({ client, sessionToken }: Subscription): string {
  if (client.hasMasterKey) return "master";
  return sessionToken === undefined ? "anonymous" : `session ${sessionToken}`;
}

function groupSetsOf(group: Group & { indexKey: IndexKey | undefined }, index: ClassIndex): Set<Group>[] {
  const { indexKey } = group;
  if (!indexKey) return [index.unindexed];
  const groupsByValue = index.byIndexKey.get(indexKey.field) ?? new Map<string, Set<Group>>();
  index.byIndexKey.set(indexKey.field, groupsByValue);
  return indexKey.valueKeys.map((key) => {
    const set = groupsByValue.get(key) ?? new Set<Group>();
    groupsByValue.set(key, set);
    return set;
  });
}

function pruneIndexKey(indexKey: IndexKey | undefined, { byIndexKey }: ClassIndex): void {
  const groupsByValue = indexKey && byIndexKey.get(indexKey.field);
  if (!indexKey || !groupsByValue) return;
  for (const key of indexKey.valueKeys) if (groupsByValue.get(key)?.size === 0) groupsByValue.delete(key);
  if (groupsByValue.size === 0) byIndexKey.delete(indexKey.field);
}

/** The most selective equality that every match requires. */
function indexKeyOf(where: Condition): IndexKey | undefined {
  if (where.kind === "and") {
    const indexKeys = where.conditions.map(indexKeyOf).filter((indexKey) => indexKey !== undefined);
    return (
      indexKeys.find(({ valueKeys }) => valueKeys.every((key) => !key.startsWith("boolean"))) ?? indexKeys[0]
    );
  }
  if (where.kind === "eq") return equalityIndexKey(where.path, [where.operand]);
  if (where.kind === "in") return equalityIndexKey(where.path, where.operands);
  return undefined;
}

function equalityIndexKey(
  [field, ...rest]: [string, ...string[]],
  operands: Operand[],
): IndexKey | undefined {
  if (rest.length > 0 || operands.length > MAX_INDEX_KEY_VALUES) return undefined;
  const valueKeys = operands.map(operandValueKey).filter((key) => key !== undefined);
  return valueKeys.length === operands.length ? { field, valueKeys } : undefined;
}

/** Types of operands that equal values without a key: those of files are names, for example, which are not the values. */
const UNINDEXED_TYPES: ReadonlySet<Operand["type"]> = new Set(["date", "file", "json", "null"]);

function operandValueKey(operand: Operand): string | undefined {
  return operand.type === "null" || UNINDEXED_TYPES.has(operand.type) ? undefined : valueKeyOf(operand.value);
}

function valueKeyOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return `${typeof value} ${value}`;
  }
  return isPointer(value) ? `pointer ${value.className} ${value.objectId}` : undefined;
}

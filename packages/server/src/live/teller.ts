import {
  type Condition,
  compileMatcher,
  ErrorCode,
  isJsonObject,
  type JsonObject,
  ProtocolError,
} from "@purse/protocol";
import { ANONYMOUS, type AuthContext, aclSubjectsOf, MASTER, type RequestContext } from "../authContext.ts";
import type { Log } from "../observe/log.ts";
import type { LoggedChange } from "../store/changeLog.ts";
import type { LiveConnectionFacts } from "./connectionEvent.ts";
import { type ChangeView, canRead, changed, type EventKind, eventKind } from "./event.ts";
import { Slices } from "./slices.ts";
import type { Group, Subscription } from "./subscriptions.ts";

/** Takes from, or adds to, an object on its way out (a copy that may be changed). */
export type Present = (object: JsonObject, request: RequestContext) => JsonObject | Promise<JsonObject>;

/** What cloud code has a say in. Each rejects to refuse, with ProtocolError. */
export interface LiveTriggers {
  has(trigger: "beforeConnect" | "beforeSubscribe" | "afterLiveQueryEvent", className?: string): boolean;
  connect(request: RequestContext, facts: LiveCounts & { sessionToken?: string }): Promise<void>;
  /** Answers the query as it shall be. */
  subscribe(request: RequestContext, className: string, params: JsonObject): Promise<JsonObject>;
  /** Answers `object` and `original` as they shall be sent; null to send nothing, undefined for as they are. */
  event(request: RequestContext, facts: LiveEventFacts): Promise<JsonObject | null | undefined>;
  /** Passes on what happens to a connection; `facts` is called only where somebody observes. */
  onConnectionEvent?(facts: () => LiveConnectionFacts, from: Pick<RequestContext, "ip" | "requestId">): void;
}

export interface LiveCounts {
  clients: number;
  subscriptions: number;
}

export interface LiveEventFacts extends LiveCounts {
  event: EventKind;
  className: string;
  object: JsonObject;
  original: JsonObject | undefined;
}

/** What decides who gets to see what. */
export interface TellerParts {
  triggers?: LiveTriggers;
  /** How long `afterLiveQueryEvent` may take over one event, in ms. */
  triggerTimeoutMs?: number;
  /** The caller that a session token stands for now. Rejects with 209 for one that is not valid (any more). */
  callerOf(sessionToken: string): Promise<AuthContext>;
  /** How objects of a class are shown to a caller; undefined where they are shown as they are. */
  presenter(className: string, texts?: readonly (string | null)[]): Present | undefined;
  /** What a caller gets to see of a class, beside ACLs; undefined for no such bound. */
  scope(className: string, request: RequestContext): Condition | undefined;
  /** Whether the class's permissions let a caller ask this: the same answer as for a query. */
  mayFind(auth: AuthContext, className: string, where: Condition): boolean | Promise<boolean>;
  /** Throws 102 on a regular expression that cannot be read. */
  regex(source: string, flags: string): (text: string) => boolean;
  log: Log;
}

/** How long `afterLiveQueryEvent` may take over one event, in ms. */
const TRIGGER_TIMEOUT_MS = 10_000;
const LATE = Symbol("late");
/** Subscribers with different credentials that are told at the same time. */
const TOLD_AT_ONCE = 200;

/** Whether a query matched before a change, and matches now. */
export interface Matched {
  was: boolean;
  is: boolean;
}

/** A change as somebody among the subscribers sees it. */
interface Sight {
  request: RequestContext;
  view: ChangeView;
  reads: { before: boolean; after: boolean };
}

/** Tells subscriptions of changes, as far as their callers may see them now. */
export class Teller {
  readonly #parts: TellerParts;
  readonly #counts: () => LiveCounts;

  constructor(parts: TellerParts, counts: () => LiveCounts) {
    this.#parts = parts;
    this.#counts = counts;
  }

  /** The caller of a subscription now. Rejects with 209 where its session has ended. */
  async callerOf({
    client,
    sessionToken,
  }: Pick<Subscription, "client" | "sessionToken">): Promise<AuthContext> {
    if (client.master) return MASTER;
    return sessionToken === undefined ? ANONYMOUS : this.#parts.callerOf(sessionToken);
  }

  /** Tells the subscriptions of a group of a change that it matched before, or matches now. */
  async tellGroup(
    change: LoggedChange,
    view: ChangeView,
    { audiences }: Pick<Group, "audiences">,
    matched: Matched,
  ): Promise<void> {
    if (!matched.was && !matched.is) return;
    const slices = new Slices();
    let telling: Promise<void>[] = [];
    for (const audience of [...audiences.values()]) {
      telling.push(this.#tellAudience(change, view, matched, audience));
      if (telling.length < TOLD_AT_ONCE && !slices.isOver) continue;
      await Promise.all(telling);
      telling = [];
      await slices.pause();
    }
    await Promise.all(telling);
  }

  /** A session that is not valid any more ends the subscription; whatever else failed is told to the log. */
  endIfInvalid(subscriptions: Iterable<Subscription>, error: unknown): void {
    const isOver = error instanceof ProtocolError && error.code === ErrorCode.INVALID_SESSION_TOKEN;
    if (!isOver) this.#parts.log.error("live query caller could not be judged", { error: String(error) });
    else for (const subscription of [...subscriptions]) subscription.client.endSession(subscription, error);
  }

  async #tellAudience(
    change: LoggedChange,
    view: ChangeView,
    { was, is }: Matched,
    audience: Set<Subscription>,
  ): Promise<void> {
    const [first] = audience;
    if (!first) return;
    try {
      const sight = await this.#sightOf(change, view, first);
      if (!sight) return;
      const kind = eventKind(change, was && sight.reads.before, is && sight.reads.after);
      const shown = kind && (await this.#afterTrigger(change, kind, sight, audience));
      if (!kind || !shown) return;
      const slices = new Slices();
      for (const subscription of [...audience]) {
        if (slices.isOver) await slices.pause();
        tellOne(change, subscription, kind, { ...sight, view: shown });
      }
    } catch (error) {
      this.endIfInvalid(audience, error);
    }
  }

  /** How those who follow the same with the same credentials see a change. */
  async #sightOf(
    change: LoggedChange,
    view: ChangeView,
    subscription: Subscription,
  ): Promise<Sight | undefined> {
    const { className } = change;
    const { client, where } = subscription;
    const auth = await this.callerOf(subscription);
    if (!(await this.#parts.mayFind(auth, className, where))) return undefined;
    const { installationId, ip, id: requestId } = client;
    const request: RequestContext = { auth, installationId, context: {}, ip, requestId };
    const principals = aclSubjectsOf(auth);
    const scope = principals && this.#parts.scope(className, request);
    const inScope = scope ? compileMatcher(scope, { regex: this.#parts.regex }) : () => true;
    const readable = (object: JsonObject | null): boolean =>
      object !== null && canRead(object, principals) && inScope(object);
    const reads = { before: readable(view.before), after: readable(view.after) };
    const present = this.#parts.presenter(className, [change.before, change.after]);
    if (!present) return { request, view, reads };
    const shown = async (object: JsonObject | null, mayRead: boolean): Promise<JsonObject | null> =>
      object && mayRead ? present(structuredClone(object), request) : null;
    const before = await shown(view.before, reads.before);
    return { request, view: view.as(before, await shown(view.after, reads.after)), reads };
  }

  /** The change as cloud code lets an audience see it; undefined where it shall not. */
  async #afterTrigger(
    { className }: LoggedChange,
    kind: EventKind,
    { request, view, reads }: Sight,
    audience: Set<Subscription>,
  ): Promise<ChangeView | undefined> {
    const { triggers } = this.#parts;
    if (!triggers?.has("afterLiveQueryEvent", className)) return view;
    const before = reads.before ? view.before : null;
    const after = reads.after ? view.after : null;
    const object = (kind === "delete" ? before : after) ?? {};
    const original = kind === "create" || kind === "delete" ? undefined : (before ?? undefined);
    try {
      const facts = { event: kind, className, object, original, ...this.#counts() };
      const told = await withinTime(triggers.event(request, facts), this.#parts.triggerTimeoutMs);
      if (told === LATE) {
        this.#parts.log.warn("afterLiveQueryEvent took too long: its subscribers were told to ask anew", {
          className,
          event: kind,
        });
        for (const subscription of audience) subscription.client.sendRefetch(subscription, view.position);
        return undefined;
      }
      if (told === null) return undefined;
      if (told === undefined || !isJsonObject(told.object)) return view;
      if (kind === "delete") return view.as(told.object, null);
      return view.as(isJsonObject(told.original) ? told.original : before, told.object);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      for (const { client, requestId } of audience) client.sendError(error, requestId);
      return undefined;
    }
  }
}

/** What a promise comes to, or LATE. */
async function withinTime<T>(work: Promise<T>, ms: number = TRIGGER_TIMEOUT_MS): Promise<T | typeof LATE> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
    // What comes of it later concerns nobody.
    work.catch(() => undefined);
  }
}

function tellOne(
  change: LoggedChange,
  subscription: Subscription,
  kind: EventKind,
  { view, reads }: Sight,
): void {
  if (change.seq <= subscription.told) return;
  subscription.told = change.seq;
  // It may have been ended while its caller was judged.
  if (subscription.client.subscriptions.get(subscription.requestId) !== subscription) return;
  if (kind === "update" && subscription.watch && !changed(view, subscription.watch)) return;
  subscription.client.send(view.message(kind, subscription, reads));
}

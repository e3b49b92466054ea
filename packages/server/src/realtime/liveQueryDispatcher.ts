import { type Condition, ErrorCode, isJsonObject, type JsonObject, ProtocolError } from "@purse/protocol";
import {
  ANONYMOUS,
  type AuthContext,
  aclSubjectsOf,
  bypassesPermissions,
  MASTER,
  type RequestContext,
} from "../core/authContext.ts";
import { TimeSlicer } from "../core/limits/timeSlicer.ts";
import type { Logger } from "../core/logger.ts";
import type { LiveTriggers } from "../data/objects/liveTriggers.ts";
import { compileReadFilter } from "../data/permissions/readFilter.ts";
import type { LoggedChange } from "../database/changeLog.ts";
import { type ChangeView, hasChanged } from "./changeView.ts";
import { type EventKind, eventKind } from "./eventKind.ts";
import type { Group, Subscriber, Subscription } from "./subscriptions.ts";
import { CLOSE_TRY_AGAIN, isTemporary, TRY_AGAIN } from "./temporaryErrors.ts";

/** Serializes an object for a client; receives a copy that it may change. */
type Serialize = (object: JsonObject, request: RequestContext) => JsonObject | Promise<JsonObject>;

export interface ConnectionCounts {
  clients: number;
  subscriptions: number;
}

/** What decides which changes a subscriber may see. */
export interface DispatcherDependencies {
  triggers?: LiveTriggers;
  /** How long `afterLiveQueryEvent` may take for one event, in ms. */
  triggerTimeoutMs?: number;
  /** Authenticates a session token. Rejects with 209 if it is invalid or has expired. */
  authenticateSession(sessionToken: string): Promise<AuthContext>;
  /** Returns the serializer of a class; undefined if objects are sent as they are stored. */
  serializer(className: string, texts?: readonly (string | null)[]): Serialize | undefined;
  /** The condition that limits which objects of a class may be read, besides ACLs; undefined for none. */
  readCondition(className: string, where: Condition, request: RequestContext): Condition | undefined;
  /** Returns which of these objects a query may read now, as far as permissions decide it. */
  readableIds(
    request: RequestContext,
    className: string,
    where: Condition,
    ids: readonly string[],
  ): Promise<ReadonlySet<string>>;
  /** Whether the class-level permissions allow this query: the same result as for a find. */
  canFind(auth: AuthContext, className: string, where: Condition): boolean | Promise<boolean>;
  logger: Logger;
}

/** How long `afterLiveQueryEvent` may take for one event, in ms. */
const TRIGGER_TIMEOUT_MS = 10_000;
const TIMED_OUT = Symbol("timed out");
/** Number of credential groups that are served concurrently. */
const MAX_CONCURRENT_DELIVERIES = 200;

/** Whether a query matched before a change, and matches after it. */
export interface MatchState {
  matchedBefore: boolean;
  matchesAfter: boolean;
}

/** Who is told of a change. */
export interface Recipients extends Pick<Group, "subscribersByCredential"> {
  /**
   * For changes of the past: the objects that the subscribers may read now. Of others they learn only that they left or
   * were deleted. Undefined for all objects.
   */
  readableIds?: ReadonlySet<string> | undefined;
}

/** A change as subscribers with the same credentials may see it. */
interface VisibleChange {
  request: RequestContext;
  view: ChangeView;
  canRead: { before: boolean; after: boolean };
}

/** Dispatches changes to subscriptions, as far as they may see them at that time. */
export class LiveQueryDispatcher {
  readonly #dependencies: DispatcherDependencies;
  readonly #counts: () => ConnectionCounts;

  constructor(dependencies: DispatcherDependencies, counts: () => ConnectionCounts) {
    this.#dependencies = dependencies;
    this.#counts = counts;
  }

  /** Authenticates a subscription. Rejects with 209 if its session has ended. */
  async authenticate({
    client,
    sessionToken,
  }: Pick<Subscription, "client" | "sessionToken">): Promise<AuthContext> {
    if (client.hasMasterKey) return MASTER;
    return sessionToken === undefined ? ANONYMOUS : this.#dependencies.authenticateSession(sessionToken);
  }

  /** Which of these objects a subscription may read now; undefined for all. */
  async readableIds(
    { client, className, where }: Subscription,
    auth: AuthContext,
    ids: readonly string[],
  ): Promise<ReadonlySet<string> | undefined> {
    if (bypassesPermissions(auth)) return undefined;
    return this.#dependencies.readableIds(requestOf(client, auth), className, where, ids);
  }

  /** Dispatches a change to the subscriptions of a group that matches it before or after. */
  async dispatchToGroup(
    change: LoggedChange,
    view: ChangeView,
    { subscribersByCredential, readableIds }: Recipients,
    matchState: MatchState,
  ): Promise<void> {
    if (!matchState.matchedBefore && !matchState.matchesAfter) return;
    const slices = new TimeSlicer();
    let deliveries: Promise<void>[] = [];
    for (const subscribers of [...subscribersByCredential.values()]) {
      deliveries.push(this.#dispatchToSubscribers(change, view, matchState, subscribers, readableIds));
      if (deliveries.length < MAX_CONCURRENT_DELIVERIES && !slices.isExpired) continue;
      await Promise.all(deliveries);
      deliveries = [];
      await slices.pause();
    }
    await Promise.all(deliveries);
  }

  /** Ends subscriptions of an invalid session; logs any other error. Returns whether the session is invalid. */
  endIfSessionInvalid(subscriptions: Iterable<Subscription>, error: unknown): boolean {
    const isSessionInvalid = error instanceof ProtocolError && error.code === ErrorCode.INVALID_SESSION_TOKEN;
    if (!isSessionInvalid)
      this.#dependencies.logger.error("live query session could not be authenticated", {
        error: String(error),
      });
    else for (const subscription of [...subscriptions]) subscription.client.endSession(subscription, error);
    return isSessionInvalid;
  }

  async #dispatchToSubscribers(
    change: LoggedChange,
    view: ChangeView,
    { matchedBefore, matchesAfter }: MatchState,
    subscribers: Set<Subscription>,
    readableIds: ReadonlySet<string> | undefined,
  ): Promise<void> {
    const [first] = subscribers;
    if (!first) return;
    try {
      const visibleChange = await this.#visibleChangeFor(change, view, first);
      if (!visibleChange) return;
      const kind = eventKind(
        change,
        matchedBefore && visibleChange.canRead.before,
        matchesAfter && visibleChange.canRead.after,
      );
      if (readableIds && !readableIds.has(change.objectId)) {
        if (kind !== "leave" && kind !== "delete") return;
        visibleChange.canRead = { before: false, after: false };
      }
      const visibleView = kind && (await this.#applyAfterTrigger(change, kind, visibleChange, subscribers));
      if (!kind || !visibleView) return;
      const slices = new TimeSlicer();
      for (const subscription of [...subscribers]) {
        if (slices.isExpired) await slices.pause();
        dispatch(change, subscription, kind, { ...visibleChange, view: visibleView });
      }
    } catch (error) {
      // Clients resume before this change, so that they do not miss it.
      if (isTemporary(error))
        for (const { client } of [...subscribers]) client.close(CLOSE_TRY_AGAIN, TRY_AGAIN);
      else if (!this.endIfSessionInvalid(subscribers, error))
        // They miss this change.
        for (const subscription of [...subscribers])
          subscription.client.sendRefetch(subscription, view.position);
    }
  }

  /** The change as subscribers with the same credentials may see it; undefined if they may not query the class. */
  async #visibleChangeFor(
    change: LoggedChange,
    view: ChangeView,
    subscription: Subscription,
  ): Promise<VisibleChange | undefined> {
    const { className } = change;
    const { client, where } = subscription;
    const auth = await this.authenticate(subscription);
    if (!(await this.#dependencies.canFind(auth, className, where))) return undefined;
    const request = requestOf(client, auth);
    const subjects = aclSubjectsOf(auth);
    const condition = subjects ? this.#dependencies.readCondition(className, where, request) : undefined;
    const isReadable = compileReadFilter({ subjects, condition });
    const canRead = {
      before: view.before !== null && isReadable(view.before),
      after: view.after !== null && isReadable(view.after),
    };
    const serialize = this.#dependencies.serializer(className, [change.before, change.after]);
    if (!serialize) return { request, view, canRead };
    const serializeIf = async (object: JsonObject | null, canReadIt: boolean): Promise<JsonObject | null> =>
      object && canReadIt ? serialize(structuredClone(object), request) : null;
    const before = await serializeIf(view.before, canRead.before);
    return { request, view: view.withObjects(before, await serializeIf(view.after, canRead.after)), canRead };
  }

  /** The change as the afterLiveQueryEvent trigger lets subscribers see it; undefined to send nothing. */
  async #applyAfterTrigger(
    { className }: LoggedChange,
    kind: EventKind,
    { request, view, canRead }: VisibleChange,
    subscribers: Set<Subscription>,
  ): Promise<ChangeView | undefined> {
    const { triggers } = this.#dependencies;
    if (!triggers?.hasHandler("afterLiveQueryEvent", className)) return view;
    const before = canRead.before ? view.before : null;
    const after = canRead.after ? view.after : null;
    const object = (kind === "delete" ? before : after) ?? {};
    const original = kind === "create" || kind === "delete" ? undefined : (before ?? undefined);
    try {
      const event = { event: kind, className, object, original, ...this.#counts() };
      const triggerResult = await withTimeout(
        triggers.event(request, event),
        this.#dependencies.triggerTimeoutMs,
      );
      if (triggerResult === TIMED_OUT) {
        this.#dependencies.logger.warn(
          "afterLiveQueryEvent took too long: its subscribers have to query again",
          {
            className,
            event: kind,
          },
        );
        for (const subscription of subscribers) subscription.client.sendRefetch(subscription, view.position);
        return undefined;
      }
      if (triggerResult === null) return undefined;
      if (triggerResult === undefined || !isJsonObject(triggerResult.object)) return view;
      if (kind === "delete") return view.withObjects(triggerResult.object, null);
      return view.withObjects(
        isJsonObject(triggerResult.original) ? triggerResult.original : before,
        triggerResult.object,
      );
    } catch (error) {
      if (!(error instanceof ProtocolError) || isTemporary(error)) throw error;
      for (const { client, requestId } of subscribers) client.sendError(error, requestId);
      return undefined;
    }
  }
}

/** A request of a client for what it may see. */
export function requestOf(
  { installationId, ip, id: requestId }: Subscriber,
  auth: AuthContext,
): RequestContext {
  return { auth, installationId, context: {}, ip, requestId, speaksParse: true };
}

/** Resolves with the result of a promise, or TIMED_OUT. */
async function withTimeout<T>(
  work: Promise<T>,
  ms: number = TRIGGER_TIMEOUT_MS,
): Promise<T | typeof TIMED_OUT> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => resolve(TIMED_OUT), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
    // A later failure is of no interest.
    work.catch(() => undefined);
  }
}

function dispatch(
  change: LoggedChange,
  subscription: Subscription,
  kind: EventKind,
  { view, canRead }: VisibleChange,
): void {
  if (change.seq <= subscription.deliveredPosition) return;
  subscription.deliveredPosition = change.seq;
  // It may have ended during authentication.
  if (subscription.client.subscriptions.get(subscription.requestId) !== subscription) return;
  const isWatched = kind === "update" || kind === "create";
  if (isWatched && subscription.watch && !hasChanged(view, subscription.watch)) return;
  view.send(kind, subscription, canRead);
}

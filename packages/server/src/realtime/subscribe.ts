import { type Condition, ErrorCode, ProtocolError } from "@purse/protocol";
import type { AuthContext } from "../core/authContext.ts";
import { operationForbidden } from "../core/operationForbidden.ts";
import { type ChangeFeed, seqOf } from "./changeFeed.ts";
import type { ChangeProcessor } from "./changeProcessor.ts";
import type { ExpensiveMatcher } from "./expensiveMatcher.ts";
import type { DispatcherDependencies, LiveQueryDispatcher } from "./liveQueryDispatcher.ts";
import type { LiveQueryLimits } from "./liveQueryLimits.ts";
import type { PositionBinding } from "./positionBinding.ts";
import type { Subscription, SubscriptionIndex } from "./subscriptions.ts";

interface SubscribeDependencies {
  index: SubscriptionIndex;
  dispatcher: LiveQueryDispatcher;
  matcher: ExpensiveMatcher;
  changeProcessor: ChangeProcessor;
  feed: ChangeFeed;
  positionBinding: PositionBinding;
  canFind: DispatcherDependencies["canFind"];
  limits: Pick<LiveQueryLimits, "maxSubscriptionsPerAddress" | "maxQueryLengthPerAddress">;
}

/** Adds a subscription. Calls `onSubscribed` with its position before the first event. Throws ProtocolError. */
type Subscribe = (subscription: Subscription, onSubscribed: (position: string) => void) => Promise<void>;

export function createSubscribe(dependencies: SubscribeDependencies): Subscribe {
  const { index, dispatcher, matcher, changeProcessor, feed, positionBinding, canFind, limits } =
    dependencies;

  async function subscribe(
    subscription: Subscription,
    onSubscribed: (position: string) => void,
  ): Promise<void> {
    const { className, where, client } = subscription;
    if (containsRelation(where)) {
      throw new ProtocolError(ErrorCode.INVALID_QUERY, "$relatedTo is not supported in live queries");
    }
    if (index.subscriptionCountOf(client.address) >= limits.maxSubscriptionsPerAddress) {
      throw new ProtocolError(ErrorCode.REQUEST_LIMIT_EXCEEDED, "too many subscriptions from one address");
    }
    if (
      index.queryLengthOf(client.address) + subscription.whereText.length >
      limits.maxQueryLengthPerAddress
    ) {
      throw new ProtocolError(
        ErrorCode.REQUEST_LIMIT_EXCEEDED,
        "the subscriptions from one address are too large",
      );
    }
    index.compile(where);
    const auth = await dispatcher.authenticate(subscription);
    // As in Parse Server, sessions need one.
    if (className === "_Session" && auth.kind === "anonymous" && !client.hasMasterKey)
      throw new ProtocolError(ErrorCode.INVALID_SESSION_TOKEN, "Invalid session token");
    if (!(await canFind(auth, className, where))) {
      throw operationForbidden(`Permission denied for action find on class ${className}.`);
    }
    if (auth.kind === "user") subscription.session = auth;
    subscription.identity = identityOf(auth);
    const head = await feed.subscribe(className);
    await new Promise<void>((resolve, reject) => {
      changeProcessor.runBetweenChanges(className, async () => {
        const headPosition = Math.max(head, changeProcessor.processedPosition(className));
        await activate(subscription, auth, headPosition, onSubscribed).then(resolve, reject);
      });
    });
  }

  /**
   * Activates a subscription between two changes: it has missed changes up to `headPosition` and receives later ones.
   */
  async function activate(
    subscription: Subscription,
    auth: AuthContext,
    headPosition: number,
    onSubscribed: (position: string) => void,
  ): Promise<void> {
    const { resumeFrom, className, client } = subscription;
    const resumePosition = resumeFrom === undefined ? undefined : ownSeqOf(resumeFrom, subscription);
    const missed =
      resumeFrom === undefined
        ? undefined
        : resumePosition === undefined
          ? "truncated"
          : await feed.changesSince(className, resumePosition, headPosition);
    const isReplayed = resumePosition !== undefined && typeof missed === "object";
    const ids = new Set(isReplayed ? missed.changes.map(({ objectId }) => objectId) : []);
    const readableIds = ids.size > 0 ? await dispatcher.readableIds(subscription, auth, [...ids]) : undefined;
    subscription.deliveredPosition = isReplayed ? resumePosition : headPosition;
    subscription.binding = positionBinding.of(subscription, subscription.deliveredPosition);
    const group = index.add(subscription);
    if (!group.matches) matcher.warmUp();
    // A client that disconnects during the replay resumes from there.
    onSubscribed(feed.positionOf(subscription.deliveredPosition));
    if (missed === "truncated") client.sendRefetch(subscription, feed.positionOf(headPosition));
    if (typeof missed !== "object") return;
    await changeProcessor.replay(missed.changes, subscription, group, readableIds);
  }

  /** The sequence number of a position; undefined unless the client was told it, as who it is now. Throws 102. */
  function ownSeqOf(position: string, subscription: Subscription): number | undefined {
    const seq = seqOf(position, feed);
    return seq !== undefined && positionBinding.allows(subscription.binding, subscription, seq)
      ? seq
      : undefined;
  }

  return subscribe;
}

/** Positions of a user are valid in each of its sessions. */
function identityOf(auth: AuthContext): string {
  return auth.kind === "user" ? `user ${auth.userId}` : auth.kind;
}

function containsRelation(where: Condition): boolean {
  if (where.kind === "relatedTo") return true;
  return "conditions" in where && where.conditions.some(containsRelation);
}

import {
  type BlockReference,
  type ChainEventReader,
  type EventCursor,
  EventsRemovedError,
  endOfBlock,
  type Selection,
} from "@purse/chain";
import { isPointer, parseWhere } from "@purse/protocol";
import { OutageLog } from "../core/outageLog.ts";
import { idsCondition } from "../data/objects/include.ts";
import { findRows } from "../database/serverRows.ts";
import type { Store } from "../database/store.ts";
import type { AuthDependencies } from "./authDependencies.ts";
import type { ChainReader } from "./contractWallet.ts";
import { parseTokenGate, type TokenGate } from "./parseTokenGate.ts";
import type { SessionInvalidation } from "./sessionInvalidation.ts";
import { UNIQUE_KEYS } from "./uniqueKeys.ts";

export interface TokenGatesDependencies
  extends Pick<AuthDependencies, "schemaOf" | "clock" | "logger" | "balances"> {
  store: Pick<Store, "find" | "getUniqueValues">;
  chains: Pick<ChainReader, "idOf">;
}

interface GatedRole {
  id: string;
  gate: TokenGate;
}

/** Result of evaluating a token gate for a user. */
export interface TokenGateResult {
  roleId: string;
  isMember: boolean;
  /** Total balance of the user's wallets in the token's smallest unit; undefined if it is not known. */
  balance: bigint | undefined;
  min: bigint;
}

/** Above so many transfers at once, or so many affected users, all sessions are invalidated. */
const MAX_TRANSFERS = 1_000;
const MAX_USERS = 100;
const MAX_GATES = 1_000;
/** Lifetime of cached roles in ms, in case the notification of a change from another process is lost. */
const CACHE_TTL_MS = 10_000;

/** Evaluates token-gated roles on demand, and invalidates sessions when a gating token is transferred. */
export class TokenGates {
  readonly #dependencies: TokenGatesDependencies;
  readonly #invalidate: (invalidation: SessionInvalidation) => Promise<void>;
  /** Positions up to which transfers were processed, by chain, token and standard. */
  readonly #cursors = new Map<string, EventCursor>();
  #roles: { readonly known: Promise<GatedRole[]>; readonly staleAt: number } | undefined;
  #checking: Promise<void> | undefined;
  #needsCheck = false;
  #unsubscribers: (() => void)[] = [];
  readonly #outages: OutageLog;

  constructor(
    dependencies: TokenGatesDependencies,
    invalidate: (invalidation: SessionInvalidation) => Promise<void>,
  ) {
    this.#dependencies = dependencies;
    this.#outages = new OutageLog(dependencies.logger);
    this.#invalidate = invalidate;
  }

  start(): void {
    this.#unsubscribers.push(this.#dependencies.balances.onStatus(() => this.#scheduleCheck()));
  }

  async stop(): Promise<void> {
    for (const unsubscribe of this.#unsubscribers.splice(0)) unsubscribe();
    this.#needsCheck = false;
    await this.#checking;
  }

  /** Discards the cached roles because they may have changed. */
  invalidateRoles(): void {
    this.#roles = undefined;
  }

  /** IDs of the roles that a user is a member of by token gate. An unknown balance counts as none. */
  async gatedRolesOf(userId: string): Promise<string[]> {
    const results = await this.evaluate(userId);
    return results.flatMap(({ roleId, isMember }) => (isMember ? [roleId] : []));
  }

  /** Evaluates all token gates for a user. */
  async evaluate(userId: string): Promise<TokenGateResult[]> {
    const roles = await this.#gatedRoles();
    if (roles.length === 0) return [];
    const owners = await this.#dependencies.store.getUniqueValues(UNIQUE_KEYS.address, userId);
    const balances = new Map<string, Promise<bigint | undefined>>();
    return Promise.all(
      roles.map(async ({ id, gate }) => {
        const key = JSON.stringify([gate.chainId, gate.holding]);
        // A user without a linked wallet holds nothing.
        const pendingBalance =
          balances.get(key) ?? (owners.length === 0 ? Promise.resolve(0n) : this.#balanceOf(gate, owners));
        balances.set(key, pendingBalance);
        const balance = await pendingBalance;
        return { roleId: id, isMember: (balance ?? 0n) >= gate.min, balance, min: gate.min };
      }),
    );
  }

  /** If the chain cannot be read, the user is not a member, but keeps their other roles. */
  async #balanceOf({ chainId, holding }: TokenGate, owners: readonly string[]): Promise<bigint | undefined> {
    const key = `balances ${chainId}`;
    try {
      const balance = await this.#dependencies.balances.getBalance(chainId, holding, owners);
      // It is undefined if the index is behind and was not read.
      if (balance !== undefined)
        this.#outages.succeeded(key, "token balances can be read again", { chainId });
      return balance;
    } catch (error) {
      this.#outages.failed(key, "token balances could not be read", { chainId, error: String(error) });
      return undefined;
    }
  }

  #gatedRoles(): Promise<GatedRole[]> {
    const { clock } = this.#dependencies;
    if (this.#roles && this.#roles.staleAt > clock()) return this.#roles.known;
    const known = this.#loadGatedRoles();
    const roles = { known, staleAt: clock() + CACHE_TTL_MS };
    this.#roles = roles;
    known.catch(() => {
      if (this.#roles === roles) this.#roles = undefined;
    });
    return known;
  }

  async #loadGatedRoles(): Promise<GatedRole[]> {
    const { store, schemaOf, chains, logger } = this.#dependencies;
    const where = parseWhere({ gate: { $exists: true } });
    const rows = await findRows(store, schemaOf("_Role"), { where, limit: MAX_GATES });
    return rows.flatMap(({ objectId, gate }) => {
      try {
        return typeof objectId === "string" && gate !== undefined && gate !== null
          ? [{ id: objectId, gate: parseTokenGate(gate, chains.idOf) }]
          : [];
      } catch (error) {
        logger.warn("the token gate of a role is invalid", { role: objectId, error: String(error) });
        return [];
      }
    });
  }

  /** Checks for transfers after the head of a chain has changed. */
  #scheduleCheck(): void {
    this.#needsCheck = true;
    this.#checking ??= this.#checkTransfers()
      .then(() => this.#outages.succeeded("gates", "token gates can be checked again"))
      .catch((error: unknown) =>
        this.#outages.failed("gates", "token gates could not be checked", { error: String(error) }),
      )
      .finally(() => {
        this.#checking = undefined;
      });
  }

  async #checkTransfers(): Promise<void> {
    while (this.#needsCheck) {
      this.#needsCheck = false;
      const tokens = new Map<string, { chainId: number; selection: Selection }>();
      for (const { gate } of await this.#gatedRoles()) {
        const { chainId, holding } = gate;
        const kind = holding.standard === "ERC20" ? "erc20Token" : "nftToken";
        tokens.set(`${chainId} ${holding.token} ${kind}`, {
          chainId,
          selection: { kind, address: holding.token },
        });
      }
      for (const key of this.#cursors.keys()) if (!tokens.has(key)) this.#cursors.delete(key);
      // A chain that cannot be read does not delay the others; its transfers are looked up at its next status.
      const errors = new Map<number, unknown>();
      const affected = await Promise.all(
        [...tokens].map(([key, token]) =>
          this.#affectedAddresses(key, token).catch((error: unknown) => {
            errors.set(token.chainId, error);
            return [];
          }),
        ),
      );
      for (const { chainId } of tokens.values()) this.#reportTransfers(chainId, errors);
      await this.#invalidateOwners(affected);
    }
  }

  #reportTransfers(chainId: number, errors: ReadonlyMap<number, unknown>): void {
    const key = `transfers ${chainId}`;
    if (!errors.has(chainId)) {
      this.#outages.succeeded(key, "transfers of gating tokens can be read again", { chainId });
      return;
    }
    const error = String(errors.get(chainId));
    this.#outages.failed(key, "transfers of gating tokens could not be read", { chainId, error });
  }

  /** Addresses whose balance of a token may have changed since the last check; undefined if any may have. */
  async #affectedAddresses(
    key: string,
    { chainId, selection }: { chainId: number; selection: Selection },
  ): Promise<string[] | undefined> {
    const feed = this.#dependencies.balances.eventReader(chainId);
    const head = await feed.head();
    if (!head) return [];
    const cursor = this.#cursors.get(key);
    if (cursor?.block.hash === head.hash) return [];
    const batch = cursor && (await readEvents(feed, selection, cursor, head));
    // This is the first check, the chain was reorganized, or there are too many transfers or some that are not kept.
    if (!batch || batch.hasMore) {
      this.#cursors.set(key, endOfBlock(head));
      return undefined;
    }
    this.#cursors.set(key, batch.cursor);
    return batch.events.flatMap(({ fields }) => {
      return [fields.from_address, fields.to_address].filter((address) => typeof address === "string");
    });
  }

  async #invalidateOwners(affected: (string[] | undefined)[]): Promise<void> {
    const addresses = new Set(affected.flatMap((each) => each ?? []));
    if (affected.includes(undefined) || addresses.size > MAX_TRANSFERS) return this.#invalidate({});
    if (addresses.size === 0) return;
    const { store, schemaOf } = this.#dependencies;
    const rows = await findRows(store, schemaOf("_EthAddress"), {
      where: idsCondition([...addresses]),
      limit: addresses.size,
    });
    const users = new Set(rows.flatMap(({ user }) => (isPointer(user) ? [user.objectId] : [])));
    if (users.size > MAX_USERS) return this.#invalidate({});
    await Promise.all([...users].map((userId) => this.#invalidate({ userId })));
  }
}

/** The transfers after a cursor; undefined after a reorganization, and if they are no longer kept. */
async function readEvents(
  feed: Pick<ChainEventReader, "events">,
  selection: Selection,
  cursor: EventCursor,
  head: BlockReference,
) {
  try {
    return await feed.events(selection, cursor, head, MAX_TRANSFERS);
  } catch (error) {
    if (error instanceof EventsRemovedError) return undefined;
    throw error;
  }
}

import {
  type ChainFeed,
  type ChainStatus,
  endOf,
  type FeedPlace,
  type Holding,
  type Selection,
} from "@purse/chain";
import { isPointer, type JsonObject, parseWhere } from "@purse/protocol";
import { idsCondition } from "../objects/include.ts";
import { type Gate, parseGate } from "./gate.ts";
import { type AccountsParts, CLAIM } from "./parts.ts";
import type { Forgotten } from "./sessions.ts";

/** What chains' indexes tell of who holds what. */
export interface Holdings {
  /** undefined where nobody knows. */
  held(chainId: number, holding: Holding, owners: string[]): Promise<bigint | undefined>;
  feed(chainId: number): ChainFeed;
  /** Returns the way to be told no longer. */
  onStatus(listener: (status: ChainStatus) => void): () => void;
}

interface GatedRole {
  id: string;
  gate: Gate;
}

/** What a gate says of somebody. */
export interface GateStanding {
  roleId: string;
  isMember: boolean;
  /** What their addresses hold together, in the token's smallest unit; undefined where nobody knows. */
  held: bigint | undefined;
  min: bigint;
}

/** Transfers that are looked at together, and people that are judged anew one by one: beyond, all are. */
const TOGETHER = 1_000;
const MOST_PEOPLE = 100;
const MOST_GATES = 1_000;
/** Changes are told to all processes at once; this is the bound should that fail, in ms. */
const MAX_AGE_MS = 10_000;

/** Roles whose members are those who hold a token: judged when somebody asks, and again when the token moves. */
export class Gates {
  readonly #parts: AccountsParts;
  readonly #forget: (forgotten: Forgotten) => Promise<void>;
  /** How far transfers of a token were looked at, by chain, token and standard. */
  readonly #places = new Map<string, FeedPlace>();
  #roles: { readonly known: Promise<GatedRole[]>; readonly staleAt: number } | undefined;
  #looking: Promise<void> | undefined;
  #isMore = false;
  #ends: (() => void)[] = [];

  constructor(parts: AccountsParts, forget: (forgotten: Forgotten) => Promise<void>) {
    this.#parts = parts;
    this.#forget = forget;
  }

  start(): void {
    this.#ends.push(this.#parts.holdings.onStatus(() => this.#look()));
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    this.#isMore = false;
    await this.#looking;
  }

  /** Roles may have changed. */
  rolesChanged(): void {
    this.#roles = undefined;
  }

  /** The ids of the roles that a user is in for what their addresses hold. Where nobody knows, they are not. */
  async rolesOf(userId: string): Promise<string[]> {
    const standings = await this.standingsOf(userId);
    return standings.flatMap(({ roleId, isMember }) => (isMember ? [roleId] : []));
  }

  /** What each gate says of a user. */
  async standingsOf(userId: string): Promise<GateStanding[]> {
    const roles = await this.#gated();
    if (roles.length === 0) return [];
    const owners = await this.#parts.store.claimsOf(CLAIM.address, userId);
    const amounts = new Map<string, Promise<bigint | undefined>>();
    return Promise.all(
      roles.map(async ({ id, gate }) => {
        const key = JSON.stringify([gate.chainId, gate.holding]);
        // Who has no address holds nothing, whatever the chain says.
        const amount =
          amounts.get(key) ?? (owners.length === 0 ? Promise.resolve(0n) : this.#held(gate, owners));
        amounts.set(key, amount);
        const held = await amount;
        return { roleId: id, isMember: (held ?? 0n) >= gate.min, held, min: gate.min };
      }),
    );
  }

  /** A chain that cannot be asked makes nobody a member, and keeps nobody from their other roles. */
  async #held({ chainId, holding }: Gate, owners: string[]): Promise<bigint | undefined> {
    try {
      return await this.#parts.holdings.held(chainId, holding, owners);
    } catch (error) {
      this.#parts.log.error("what people hold could not be told", { chainId, error: String(error) });
      return undefined;
    }
  }

  #gated(): Promise<GatedRole[]> {
    const { clock } = this.#parts;
    if (this.#roles && this.#roles.staleAt > clock()) return this.#roles.known;
    const known = this.#read();
    const roles = { known, staleAt: clock() + MAX_AGE_MS };
    this.#roles = roles;
    known.catch(() => {
      if (this.#roles === roles) this.#roles = undefined;
    });
    return known;
  }

  async #read(): Promise<GatedRole[]> {
    const { store, schemaOf, chains, log } = this.#parts;
    const query = { where: parseWhere({ gate: { $exists: true } }), order: [], skip: 0, principals: null };
    const texts = await store.find({ schema: schemaOf("_Role"), ...query, limit: MOST_GATES });
    return texts.flatMap((text) => {
      const { objectId, gate }: JsonObject = JSON.parse(text);
      try {
        return typeof objectId === "string" && gate !== undefined && gate !== null
          ? [{ id: objectId, gate: parseGate(gate, chains.idOf) }]
          : [];
      } catch (error) {
        log.warn("a role's gate says nothing that can be judged", { role: objectId, error: String(error) });
        return [];
      }
    });
  }

  /** A chain has gone on, or back. */
  #look(): void {
    this.#isMore = true;
    this.#looking ??= this.#lookAtAll()
      .catch((error: unknown) => {
        this.#parts.log.error("transfers of gating tokens could not be read", { error: String(error) });
      })
      .finally(() => {
        this.#looking = undefined;
      });
  }

  async #lookAtAll(): Promise<void> {
    while (this.#isMore) {
      this.#isMore = false;
      const tokens = new Map<string, { chainId: number; selection: Selection }>();
      for (const { gate } of await this.#gated()) {
        const { chainId, holding } = gate;
        const kind = holding.standard === "ERC20" ? "erc20Token" : "nftToken";
        tokens.set(`${chainId} ${holding.token} ${kind}`, {
          chainId,
          selection: { kind, address: holding.token },
        });
      }
      for (const key of this.#places.keys()) if (!tokens.has(key)) this.#places.delete(key);
      const moved = await Promise.all([...tokens].map(([key, token]) => this.#movedSince(key, token)));
      await this.#judgeAnew(moved);
    }
  }

  /** Whose holdings of a token may have changed since the last look; undefined for anybody's. */
  async #movedSince(
    key: string,
    { chainId, selection }: { chainId: number; selection: Selection },
  ): Promise<string[] | undefined> {
    const feed = this.#parts.holdings.feed(chainId);
    const head = await feed.head();
    if (!head) return [];
    const place = this.#places.get(key);
    if (place?.block.hash === head.hash) return [];
    const batch = place && (await feed.events(selection, place, head, TOGETHER));
    // The first look, a reorganisation, or more than can be told apart.
    if (!batch || batch.isMore) {
      this.#places.set(key, endOf(head));
      return undefined;
    }
    this.#places.set(key, batch.reached);
    return batch.events.flatMap(({ fields }) => {
      return [fields.from_address, fields.to_address].filter((side) => typeof side === "string");
    });
  }

  async #judgeAnew(moved: (string[] | undefined)[]): Promise<void> {
    const addresses = new Set(moved.flatMap((each) => each ?? []));
    if (moved.includes(undefined) || addresses.size > TOGETHER) return this.#forget({});
    if (addresses.size === 0) return;
    const { store, schemaOf } = this.#parts;
    const texts = await store.find({
      schema: schemaOf("_EthAddress"),
      where: idsCondition([...addresses]),
      order: [],
      limit: addresses.size,
      skip: 0,
      principals: null,
    });
    const people = new Set(
      texts.flatMap((text) => {
        const { user }: JsonObject = JSON.parse(text);
        return isPointer(user) ? [user.objectId] : [];
      }),
    );
    if (people.size > MOST_PEOPLE) return this.#forget({});
    await Promise.all([...people].map((userId) => this.#forget({ userId })));
  }
}

import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type Purse, query } from "../support/purse.ts";

/** Numbers by which a run can be made again, as far as its concurrency allows. */
export interface Random {
  /** From 0 up to, and without, 1. */
  next(): number;
  /** A whole number from 0 up to, and without, `below`. */
  below(below: number): number;
  of<T>(items: readonly T[]): T;
}

/** Mulberry32. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    of(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error("nothing to choose from");
      return item;
    },
  };
}

export const KINDS = [
  "create",
  "increment",
  "delete",
  "transaction",
  "batch",
  "relation",
  "upload",
  "signUp",
  "idempotentCreate",
  "idempotentIncrement",
  "idempotentBatch",
] as const;
export type Kind = (typeof KINDS)[number];

/** What a client was answered: undefined where no answer came. */
interface Answer {
  status: number;
  body: JsonObject;
}

/** One thing that a client wanted, as it went. */
interface Done {
  kind: Kind;
  token: string;
  /** acked: answered 2xx; refused: answered otherwise; unknown: not answered. */
  outcome: "acked" | "refused" | "unknown";
  answer: Answer | undefined;
  /** The object that it is about, where there was one before. */
  id?: string;
  requestId?: string;
}

export interface Totals {
  acked: Record<string, number>;
  unknown: number;
  refused: number;
  lost: number;
  doubled: number;
}

const MASTER_KEY = "X-Parse-Master-Key";
const COUNTERS = 6;

/** Clients that write, and that check afterwards that what they were told is true. */
export class Workload {
  readonly totals: Totals = { acked: {}, unknown: 0, refused: 0, lost: 0, doubled: 0 };
  /** What was found to be wrong. */
  readonly violations: string[] = [];
  readonly #random: Random;
  readonly #counters: { id: string; value: number }[] = [];
  #parent = "";
  #done: Done[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Makes what the others count and relate to. */
  async prepare(purse: Purse): Promise<void> {
    for (let i = 0; i < COUNTERS; i++) {
      const { body } = await must(send(purse, "POST", "/classes/Counter", { n: 0 }));
      this.#counters.push({ id: String(body.objectId), value: 0 });
    }
    const { body } = await must(send(purse, "POST", "/classes/Parent", {}));
    this.#parent = String(body.objectId);
  }

  /** Writes with several clients until `isOver`. */
  async run(
    purse: Purse,
    clients: number,
    isOver: () => boolean,
    kinds: readonly Kind[] = KINDS,
  ): Promise<void> {
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (!isOver()) await this.one(purse, this.#random.of(kinds));
      }),
    );
  }

  /** Does one thing. */
  async one(purse: Purse, kind: Kind): Promise<void> {
    const token = randomUUID();
    const requestId = kind.startsWith("idempotent") || kind === "signUp" ? randomUUID() : undefined;
    const done: Done = {
      kind,
      token,
      outcome: "unknown",
      answer: undefined,
      ...(requestId && { requestId }),
    };
    if (kind === "increment" || kind === "idempotentIncrement") done.id = this.#random.of(this.#counters).id;
    if (kind === "delete") {
      const made = await send(purse, "POST", "/classes/Deleted", { token });
      if (made?.status !== 201) return;
      done.id = String(made.body.objectId);
    }
    this.#done.push(done);
    this.#note(done, await this.#send(purse, done, 1));
  }

  /** Compares what clients were told with what there is; what was not answered and has an id is sent again before. */
  async check(purse: Purse): Promise<void> {
    const all = this.#done;
    this.#done = [];
    for (const done of all) {
      if (done.requestId === undefined || done.outcome === "acked") continue;
      if (!this.#note(done, await this.#untilAnswered(purse, done))) {
        this.#fail("lost", done, `refused when it was sent again: ${JSON.stringify(done.answer)}`);
      }
    }
    for (const { kind, outcome } of all) {
      if (outcome === "acked") this.totals.acked[kind] = (this.totals.acked[kind] ?? 0) + 1;
      else this.totals[outcome === "unknown" ? "unknown" : "refused"] += 1;
    }
    await this.#checkObjects(purse, all);
    await this.#checkCounters(purse, all);
    await this.#checkOthers(purse, all);
    await this.#checkRepetitions(purse, all);
  }

  /** Answers whether it was acknowledged. */
  #note(done: Done, answer: Answer | undefined): boolean {
    done.answer = answer;
    const isAcked = answer !== undefined && answer.status < 300 && !hasFailedPart(answer.body);
    done.outcome = answer === undefined ? "unknown" : isAcked ? "acked" : "refused";
    return isAcked;
  }

  async #untilAnswered(purse: Purse, done: Done): Promise<Answer | undefined> {
    for (let attempt = 2; attempt < 20; attempt++) {
      const answer = await this.#send(purse, done, attempt);
      if (answer && answer.status < 500) return answer;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return undefined;
  }

  #send(purse: Purse, { kind, token, id, requestId }: Done, attempt: number): Promise<Answer | undefined> {
    const options = { requestId, attempt };
    const increment = { n: { __op: "Increment", amount: 1 } };
    const create = (className: string) => ({
      method: "POST",
      path: `/server/classes/${className}`,
      body: { token },
    });
    switch (kind) {
      case "create":
      case "idempotentCreate":
        return send(purse, "POST", "/classes/Made", { token }, options);
      case "increment":
      case "idempotentIncrement":
        return send(purse, "PUT", `/classes/Counter/${id}`, increment, options);
      case "delete":
        return send(purse, "DELETE", `/classes/Deleted/${id}`);
      case "transaction": {
        const requests = [create("Left"), create("Right")];
        return send(purse, "POST", "/batch", { requests, transaction: true });
      }
      case "batch":
      case "idempotentBatch": {
        const requests = [create("Left"), create("Right"), create("Made")];
        return send(purse, "POST", "/batch", { requests }, options);
      }
      case "relation":
        return send(purse, "POST", "/classes/Child", {
          token,
          parents: {
            __op: "AddRelation",
            objects: [{ __type: "Pointer", className: "Parent", objectId: this.#parent }],
          },
        });
      case "upload":
        return upload(purse, token);
      case "signUp":
        return send(purse, "POST", "/users", { username: token, password: "correct horse" }, options);
    }
  }

  /** Each object that was acknowledged is there once; each that was not, once at most; of a transaction all or none. */
  async #checkObjects(purse: Purse, all: Done[]): Promise<void> {
    const classesOf = (kind: Kind): string[] => {
      if (kind === "create" || kind === "idempotentCreate") return ["Made"];
      if (kind === "transaction") return ["Left", "Right"];
      if (kind === "batch" || kind === "idempotentBatch") return ["Left", "Right", "Made"];
      if (kind === "relation") return ["Child"];
      return [];
    };
    for (const className of ["Made", "Left", "Right", "Child"]) {
      const wanted = all.filter(({ kind }) => classesOf(kind).includes(className));
      const counts = await countByToken(
        purse,
        className,
        wanted.map(({ token }) => token),
      );
      for (const done of wanted) {
        const count = counts.get(done.token) ?? 0;
        if (count > 1) this.#fail("doubled", done, `${count} objects of ${className}`);
        if (count === 0 && done.outcome === "acked") this.#fail("lost", done, `no object of ${className}`);
        if (
          done.outcome === "refused" &&
          count > 0 &&
          done.kind !== "batch" &&
          done.kind !== "idempotentBatch"
        ) {
          this.#fail("lost", done, `refused with ${JSON.stringify(done.answer)}, but made in ${className}`);
        }
      }
      if (className !== "Right") continue;
      const transactions = all.filter(({ kind }) => kind === "transaction");
      const lefts = await countByToken(
        purse,
        "Left",
        transactions.map(({ token }) => token),
      );
      for (const done of transactions) {
        if ((lefts.get(done.token) ?? 0) !== (counts.get(done.token) ?? 0)) {
          this.#fail("lost", done, "half of a transaction");
        }
      }
    }
  }

  /** A counter is what it was and what was acknowledged since, and as much more as was not answered at most. */
  async #checkCounters(purse: Purse, all: Done[]): Promise<void> {
    const increments = all.filter(({ kind }) => kind === "increment" || kind === "idempotentIncrement");
    for (const counter of this.#counters) {
      const { body } = await must(send(purse, "GET", `/classes/Counter/${counter.id}`));
      const value = Number(body.n);
      const own = increments.filter(({ id }) => id === counter.id);
      const least = counter.value + own.filter(({ outcome }) => outcome === "acked").length;
      const most = least + own.filter(({ outcome }) => outcome === "unknown").length;
      const [first] = own;
      if (first && value < least) this.#fail("lost", first, `${least - value} increments of ${own.length}`);
      if (first && value > most) this.#fail("doubled", first, `${value - most} increments of ${own.length}`);
      counter.value = value;
    }
  }

  async #checkOthers(purse: Purse, all: Done[]): Promise<void> {
    for (const done of all) {
      if (done.outcome !== "acked") continue;
      const { kind, token, id, answer } = done;
      if (kind === "delete") {
        const gone = await must(send(purse, "GET", `/classes/Deleted/${id}`), true);
        if (gone.status !== 404) this.#fail("lost", done, "deleted, and there");
      } else if (kind === "upload") {
        const url = String(answer?.body.url).replace(/^https?:\/\/[^/]+/, purse.url);
        const text = await fetch(url).then((response) => response.text());
        if (text !== token) this.#fail("lost", done, "a file is not what was uploaded");
      } else if (kind === "signUp") {
        const sessionToken = String(answer?.body.sessionToken);
        const me = await must(send(purse, "GET", "/users/me", undefined, { sessionToken }), true);
        if (me.body.username !== token) this.#fail("lost", done, "signed up, and nobody's session");
      }
    }
    const children = all.filter(({ kind, outcome }) => kind === "relation" && outcome === "acked");
    for (const part of chunks(children)) {
      const related = { parents: { __type: "Pointer", className: "Parent", objectId: this.#parent } };
      const where = { token: { $in: part.map(({ token }) => token) }, ...related };
      const { body } = await must(send(purse, "GET", `/classes/Child${query({ where, limit: "1000" })}`));
      const found = new Set(listOf(body.results).map(({ token }) => token));
      for (const done of part) if (!found.has(done.token)) this.#fail("lost", done, "a relation");
    }
  }

  /** Who sends a request again that was carried out gets the same answer. */
  async #checkRepetitions(purse: Purse, all: Done[]): Promise<void> {
    for (const done of all) {
      if (done.requestId === undefined || done.outcome !== "acked") continue;
      const again = await this.#send(purse, done, 30);
      if (!isDeepStrictEqual(again?.body, done.answer?.body)) {
        this.#fail(
          "doubled",
          done,
          `another answer: ${JSON.stringify(again)} for ${JSON.stringify(done.answer)}`,
        );
      }
    }
  }

  #fail(what: "lost" | "doubled", { kind, token, outcome }: Done, why: string): void {
    this.totals[what] += 1;
    this.violations.push(`${what}: ${kind} ${token} (${outcome}): ${why}`);
  }
}

function hasFailedPart(body: JsonObject): boolean {
  return Array.isArray(body) && body.some((part) => isJsonObject(part) && "error" in part);
}

async function must(sent: Promise<Answer | undefined>, anyStatus = false): Promise<Answer> {
  const answer = await sent;
  if (!answer) throw new Error("the server does not answer");
  if (!anyStatus && answer.status >= 300) throw new Error(`the server answers ${JSON.stringify(answer)}`);
  return answer;
}

async function countByToken(purse: Purse, className: string, tokens: string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const part of chunks(tokens)) {
    const path = `/classes/${className}${query({ where: { token: { $in: part } }, limit: "1000", keys: "token" })}`;
    const { body } = await must(send(purse, "GET", path, undefined, { isMaster: true }));
    for (const { token } of listOf(body.results)) {
      counts.set(String(token), (counts.get(String(token)) ?? 0) + 1);
    }
  }
  return counts;
}

function listOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function chunks<T>(items: T[], size = 100): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) =>
    items.slice(i * size, (i + 1) * size),
  );
}

interface SendOptions {
  requestId?: string | undefined;
  attempt?: number;
  sessionToken?: string;
  isMaster?: boolean;
}

/** Answers undefined where no answer comes. */
async function send(
  purse: Purse,
  method: string,
  path: string,
  body?: unknown,
  { requestId, attempt = 1, sessionToken, isMaster }: SendOptions = {},
): Promise<Answer | undefined> {
  const headers: Record<string, string> = {
    "X-Parse-Application-Id": purse.appId,
    "Content-Type": attempt > 1 ? `text/plain; attempt=${attempt}` : "text/plain",
    ...(requestId !== undefined && { "X-Parse-Request-Id": requestId }),
    ...(sessionToken !== undefined && { "X-Parse-Session-Token": sessionToken }),
    ...(isMaster && { [MASTER_KEY]: purse.masterKey }),
  };
  try {
    const response = await fetch(`${purse.serverUrl}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}

async function upload(purse: Purse, text: string): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${purse.serverUrl}/files/${text}.txt`, {
      method: "POST",
      headers: {
        "X-Parse-Application-Id": purse.appId,
        [MASTER_KEY]: purse.masterKey,
        "Content-Type": "text/plain",
      },
      body: text,
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}

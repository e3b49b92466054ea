import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject } from "@purse/protocol";
import { type Purse, query } from "../support/purse.ts";
import type { Random } from "../support/random.ts";
import { until } from "../support/until.ts";
import { type Answer, contentOf, send, upload } from "./workloadRequests.ts";

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

/** A request of a client and its outcome. */
interface Operation {
  kind: Kind;
  token: string;
  /** acked: status 2xx; refused: another status; unknown: no response. */
  outcome: "acked" | "refused" | "unknown";
  answer: Answer | undefined;
  /** The object, if it existed before. */
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

const COUNTERS = 6;

/** Clients that write, and check afterwards that the responses were true. */
export class Workload {
  readonly totals: Totals = { acked: {}, unknown: 0, refused: 0, lost: 0, doubled: 0 };
  /** The problems found. */
  readonly violations: string[] = [];
  readonly #random: Random;
  readonly #counters: { id: string; value: number }[] = [];
  #parent = "";
  #operations: Operation[] = [];
  #sent = 0;
  readonly #onAnswer = new Set<(kind: Kind, isAcked: boolean) => void>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** Creates the counters and relations that requests use. */
  async prepare(purse: Purse): Promise<void> {
    for (let i = 0; i < COUNTERS; i++) {
      const { body } = await requireAnswer(send(purse, "POST", "/classes/Counter", { n: 0 }));
      this.#counters.push({ id: String(body.objectId), value: 0 });
    }
    const { body } = await requireAnswer(send(purse, "POST", "/classes/Parent", {}));
    this.#parent = String(body.objectId);
  }

  /** Writes with several clients until `isOver`. */
  async run(
    purse: Purse,
    clients: number,
    isDone: () => boolean,
    kinds: readonly Kind[] = KINDS,
  ): Promise<void> {
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (!isDone()) await this.runOne(purse, this.#random.pick(kinds));
      }),
    );
  }

  /** The number of requests that were sent. */
  get sent(): number {
    return this.#sent;
  }

  /** Resolves as soon as a write of each of these kinds was acknowledged, and then `more` others. */
  acknowledged(kinds: readonly Kind[], more: number): Promise<void> {
    const missing = new Set(kinds);
    let left = more;
    return new Promise((resolve) => {
      const onAnswer = (kind: Kind, isAcked: boolean) => {
        if (!isAcked) return;
        if (missing.size > 0) missing.delete(kind);
        else left -= 1;
        if (missing.size > 0 || left > 0) return;
        this.#onAnswer.delete(onAnswer);
        resolve();
      };
      this.#onAnswer.add(onAnswer);
    });
  }

  /** Sends one request. */
  async runOne(purse: Purse, kind: Kind): Promise<void> {
    const token = randomUUID();
    const requestId = kind.startsWith("idempotent") || kind === "signUp" ? randomUUID() : undefined;
    const operation: Operation = {
      kind,
      token,
      outcome: "unknown",
      answer: undefined,
      ...(requestId && { requestId }),
    };
    if (kind === "increment" || kind === "idempotentIncrement")
      operation.id = this.#random.pick(this.#counters).id;
    if (kind === "delete") {
      const created = await send(purse, "POST", "/classes/Deleted", { token });
      if (created?.status !== 201) return;
      operation.id = String(created.body.objectId);
    }
    this.#operations.push(operation);
    this.#sent += 1;
    const isAcked = this.#recordAnswer(operation, await this.#send(purse, operation, 1));
    for (const onAnswer of this.#onAnswer) onAnswer(kind, isAcked);
  }

  /**
   * Compares responses with stored objects, after sending unanswered requests with IDs again. Files are read from
   * `fileServers`, which share them.
   */
  async check(purse: Purse, fileServers: readonly Purse[] = [purse]): Promise<void> {
    const all = this.#operations;
    this.#operations = [];
    for (const operation of all) {
      if (operation.requestId === undefined || operation.outcome === "acked") continue;
      if (!this.#recordAnswer(operation, await this.#retryUntilAnswered(purse, operation))) {
        this.#fail("lost", operation, `refused when it was sent again: ${JSON.stringify(operation.answer)}`);
      }
    }
    for (const { kind, outcome } of all) {
      if (outcome === "acked") this.totals.acked[kind] = (this.totals.acked[kind] ?? 0) + 1;
      else this.totals[outcome === "unknown" ? "unknown" : "refused"] += 1;
    }
    await this.#checkObjects(purse, all);
    await this.#checkCounters(purse, all);
    await this.#checkOthers(purse, all);
    await this.#checkFiles(fileServers, all);
    await this.#checkRepetitions(purse, all);
  }

  /** Returns whether the request was acknowledged. */
  #recordAnswer(operation: Operation, answer: Answer | undefined): boolean {
    operation.answer = answer;
    const isAcked = answer !== undefined && answer.status < 300 && !hasFailedEntry(answer.body);
    operation.outcome = answer === undefined ? "unknown" : isAcked ? "acked" : "refused";
    return isAcked;
  }

  #retryUntilAnswered(purse: Purse, operation: Operation): Promise<Answer> {
    let attempt = 1;
    const answered = async () => {
      attempt += 1;
      const answer = await this.#send(purse, operation, attempt);
      return answer && answer.status < 500 ? answer : undefined;
    };
    return until(answered, { otherwise: `No answer to ${operation.kind} ${operation.token}` });
  }

  #send(
    purse: Purse,
    { kind, token, id, requestId }: Operation,
    attempt: number,
  ): Promise<Answer | undefined> {
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

  /** Each acknowledged object exists once, each other one at most once, and those of a transaction all or none. */
  async #checkObjects(purse: Purse, all: Operation[]): Promise<void> {
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
      for (const operation of wanted) {
        const count = counts.get(operation.token) ?? 0;
        if (count > 1) this.#fail("doubled", operation, `${count} objects of ${className}`);
        if (count === 0 && operation.outcome === "acked")
          this.#fail("lost", operation, `no object of ${className}`);
        if (
          operation.outcome === "refused" &&
          count > 0 &&
          operation.kind !== "batch" &&
          operation.kind !== "idempotentBatch"
        ) {
          this.#fail(
            "lost",
            operation,
            `refused with ${JSON.stringify(operation.answer)}, but made in ${className}`,
          );
        }
      }
      if (className !== "Right") continue;
      const transactions = all.filter(({ kind }) => kind === "transaction");
      const lefts = await countByToken(
        purse,
        "Left",
        transactions.map(({ token }) => token),
      );
      for (const operation of transactions) {
        if ((lefts.get(operation.token) ?? 0) !== (counts.get(operation.token) ?? 0)) {
          this.#fail("lost", operation, "half of a transaction");
        }
      }
    }
  }

  /** A counter has increased by the acknowledged amounts, and at most by the unanswered ones in addition. */
  async #checkCounters(purse: Purse, all: Operation[]): Promise<void> {
    const increments = all.filter(({ kind }) => kind === "increment" || kind === "idempotentIncrement");
    for (const counter of this.#counters) {
      const { body } = await requireAnswer(send(purse, "GET", `/classes/Counter/${counter.id}`));
      const value = Number(body.n);
      const own = increments.filter(({ id }) => id === counter.id);
      const min = counter.value + own.filter(({ outcome }) => outcome === "acked").length;
      const max = min + own.filter(({ outcome }) => outcome === "unknown").length;
      const [first] = own;
      if (first && value < min) this.#fail("lost", first, `${min - value} increments of ${own.length}`);
      if (first && value > max) this.#fail("doubled", first, `${value - max} increments of ${own.length}`);
      counter.value = value;
    }
  }

  async #checkOthers(purse: Purse, all: Operation[]): Promise<void> {
    for (const operation of all) {
      if (operation.outcome !== "acked") continue;
      const { kind, token, id, answer } = operation;
      if (kind === "delete") {
        const deleted = await requireAnswer(send(purse, "GET", `/classes/Deleted/${id}`), true);
        if (deleted.status !== 404) this.#fail("lost", operation, "deleted, and there");
      } else if (kind === "signUp") {
        const sessionToken = String(answer?.body.sessionToken);
        const me = await requireAnswer(send(purse, "GET", "/users/me", undefined, { sessionToken }), true);
        if (me.body.username !== token) this.#fail("lost", operation, "signed up, and nobody's session");
      }
    }
    const children = all.filter(({ kind, outcome }) => kind === "relation" && outcome === "acked");
    for (const chunk of chunks(children)) {
      const related = { parents: { __type: "Pointer", className: "Parent", objectId: this.#parent } };
      const where = { token: { $in: chunk.map(({ token }) => token) }, ...related };
      const { body } = await requireAnswer(
        send(purse, "GET", `/classes/Child${query({ where, limit: "1000" })}`),
      );
      const found = new Set(listOf(body.results).map(({ token }) => token));
      for (const operation of chunk)
        if (!found.has(operation.token)) this.#fail("lost", operation, "a relation");
    }
  }

  /** An acknowledged file has its content on each server. */
  async #checkFiles(servers: readonly Purse[], all: Operation[]): Promise<void> {
    for (const operation of all) {
      if (operation.kind !== "upload" || operation.outcome !== "acked") continue;
      const content = contentOf(operation.token);
      for (const { url } of servers) {
        const path = String(operation.answer?.body.url).replace(/^https?:\/\/[^/]+/, url);
        const text = await fetch(path).then((response) => response.text());
        if (text !== content)
          this.#fail("lost", operation, `its content is not what was uploaded: ${text.slice(0, 100)}`);
      }
    }
  }

  /** A request that is sent again returns the first response. */
  async #checkRepetitions(purse: Purse, all: Operation[]): Promise<void> {
    for (const operation of all) {
      if (operation.requestId === undefined || operation.outcome !== "acked") continue;
      const again = await this.#send(purse, operation, 30);
      if (!isDeepStrictEqual(again?.body, operation.answer?.body)) {
        this.#fail(
          "doubled",
          operation,
          `another answer: ${JSON.stringify(again)} for ${JSON.stringify(operation.answer)}`,
        );
      }
    }
  }

  #fail(violation: "lost" | "doubled", { kind, token, outcome }: Operation, why: string): void {
    this.totals[violation] += 1;
    this.violations.push(`${violation}: ${kind} ${token} (${outcome}): ${why}`);
  }
}

function hasFailedEntry(body: JsonObject): boolean {
  return Array.isArray(body) && body.some((chunk) => isJsonObject(chunk) && "error" in chunk);
}

async function requireAnswer(sent: Promise<Answer | undefined>, anyStatus = false): Promise<Answer> {
  const answer = await sent;
  if (!answer) throw new Error("the server does not answer");
  if (!anyStatus && answer.status >= 300) throw new Error(`the server answers ${JSON.stringify(answer)}`);
  return answer;
}

async function countByToken(purse: Purse, className: string, tokens: string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const chunk of chunks(tokens)) {
    const path = `/classes/${className}${query({ where: { token: { $in: chunk } }, limit: "1000", keys: "token" })}`;
    const { body } = await requireAnswer(send(purse, "GET", path, undefined, { isMaster: true }));
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

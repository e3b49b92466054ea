import { type Purse, query, rest } from "../../support/purse.ts";
import type { ChaosNode } from "./nodes.ts";

const MASTER = { useMasterKey: true };

/** Several clients sign up with the same names at different nodes: each name belongs to one of them. */
export class Contest {
  #names = 0;
  readonly violations: string[] = [];
  readonly #acked = new Map<string, number>();

  async run(nodes: readonly ChaosNode[]): Promise<void> {
    const username = `contested${++this.#names}`;
    const answers = await Promise.all(
      nodes.map(({ purse }) =>
        rest(purse, "POST", "/users", { username, password: "correct horse" }).catch(() => undefined),
      ),
    );
    this.#acked.set(username, answers.filter((answer) => answer?.status === 201).length);
  }

  async check(purse: Purse): Promise<void> {
    const where = { username: { $regex: "^contested" } };
    const { body } = await rest(purse, "GET", `/users${query({ where, limit: "10000" })}`, undefined, MASTER);
    const names = (Array.isArray(body.results) ? body.results : []).map((user) =>
      String(Object(user).username),
    );
    if (new Set(names).size < names.length) this.violations.push("a username exists twice");
    for (const [name, acked] of this.#acked) {
      if (acked > 1) this.violations.push(`${acked} clients have signed up as ${name}`);
      if (acked === 1 && !names.includes(name)) this.violations.push(`${name} does not exist`);
    }
  }
}

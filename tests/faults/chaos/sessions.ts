import { expect } from "vitest";
import { rest } from "../../support/purse.ts";
import type { ChaosNode } from "./nodes.ts";

/** How long a node may accept an ended session of which it was not told, in ms. */
const STALE_MS = 15_000;

/** Users sign in at one node and out at another: all nodes reject a session whose end was acknowledged. */
export class Sessions {
  #users = 0;
  #ended: string[] = [];
  ended = 0;

  async run(nodes: readonly ChaosNode[], signOutAt: ChaosNode): Promise<void> {
    const [first] = nodes;
    if (!first) return;
    const user = { username: `session${++this.#users}`, password: "correct horse" };
    const signedUp = await rest(first.purse, "POST", "/users", user).catch(() => undefined);
    if (signedUp?.status !== 201) return;
    const sessionToken = String(signedUp.body.sessionToken);
    const read = ({ purse }: ChaosNode) =>
      rest(purse, "GET", "/users/me", undefined, { sessionToken }).catch(() => undefined);
    // Each caches it.
    await Promise.all(nodes.map(read));
    const { purse } = signOutAt;
    const answer = await rest(purse, "POST", "/logout", {}, { sessionToken }).catch(() => undefined);
    if (answer?.status === 200) this.#ended.push(sessionToken);
  }

  async check(nodes: readonly ChaosNode[]): Promise<void> {
    const ended = this.#ended.splice(0);
    this.ended += ended.length;
    const accepted = async () => {
      const statuses = await Promise.all(
        nodes.flatMap(({ purse }) =>
          ended.map(async (sessionToken) => {
            const { status } = await rest(purse, "GET", "/users/me", undefined, { sessionToken });
            return status;
          }),
        ),
      );
      return statuses.filter((status) => status === 200).length;
    };
    await expect.poll(accepted, { timeout: STALE_MS, interval: 500 }).toBe(0);
  }
}

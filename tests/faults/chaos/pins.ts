import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { rest } from "../../support/purse.ts";
import type { ChaosNode } from "./nodes.ts";

const MASTER = { useMasterKey: true };
/** How much content stays pinned. */
const KEPT = 5;
/** More than one block. */
const REPETITIONS = 10_000;

/** IPFS content that one node has acknowledged is served and listed by each of them; unpinned content by none. */
export class Pins {
  readonly violations: string[] = [];
  readonly #pinned = new Map<string, string>();
  readonly #unpinned = new Set<string>();

  get pinned(): number {
    return this.#pinned.size;
  }

  get unpinned(): number {
    return this.#unpinned.size;
  }

  /** Adds content at one node, and unpins some that was added before at another one. */
  async run(addAt: ChaosNode, unpinAt: ChaosNode): Promise<void> {
    const content = randomUUID();
    const added = await fetch(`${addAt.purse.url}/api/v2/ipfs/uploadFolder`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify([{ path: "a.json", content: { content: content.repeat(REPETITIONS) } }]),
    }).catch(() => undefined);
    if (added?.status === 200) {
      const [file]: { path: string }[] = await added.json();
      this.#pinned.set(file?.path.split("/").at(-2) ?? "", content);
    }
    const [oldest] = this.#pinned.keys();
    if (oldest === undefined || this.#pinned.size <= KEPT) return;
    // Without a response, it is either pinned or not.
    this.#pinned.delete(oldest);
    const path = `/ipfs/pins/${oldest}`;
    const answer = await rest(unpinAt.purse, "DELETE", path, undefined, MASTER).catch(() => undefined);
    if (answer?.status === 200) this.#unpinned.add(oldest);
  }

  async check(nodes: readonly ChaosNode[]): Promise<void> {
    for (const { purse } of nodes) {
      const { status, body } = await rest(purse, "GET", "/ipfs/pins", undefined, MASTER);
      expect({ status, body }).toMatchObject({ status: 200 });
      const listed = new Set((Array.isArray(body.results) ? body.results : []).map((pin) => Object(pin).cid));
      for (const [cid, content] of this.#pinned) {
        const response = await fetch(`${purse.url}/ipfs/${cid}/a.json`);
        expect(await response.text()).toBe(JSON.stringify({ content: content.repeat(REPETITIONS) }));
        if (!listed.has(cid)) this.violations.push(`${cid} is not listed`);
      }
      for (const cid of this.#unpinned) {
        const response = await fetch(`${purse.url}/ipfs/${cid}/a.json`);
        if (response.status !== 404 || listed.has(cid))
          this.violations.push(`${cid} was unpinned, and is there`);
      }
    }
  }
}

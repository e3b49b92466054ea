import { createServer } from "node:http";
import { tmpdir } from "node:os";
import type { NodeHealth } from "@purse/chain";
import { Lifecycle } from "@purse/kernel";
import { afterEach, describe, expect, it } from "vitest";
import { EventBus } from "../core/eventBus.ts";
import { createLogger } from "../core/logger.ts";
import type { Mail } from "../core/mail.ts";
import { diskCondition, indexCondition, nodeConditions, openAlerts } from "./openAlerts.ts";

const logger = createLogger({ level: "error", format: "json", write: () => {} });
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

describe("alerts", () => {
  it("are sent to email addresses and, signed, to a webhook", async () => {
    const posts: { body: string; signature: string | undefined }[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on("end", () => {
        posts.push({ body, signature: request.headers["x-purse-signature"]?.toString() });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    stops.push(() => server.close());
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no port");
    const mails: Mail[] = [];
    const events = new EventBus((error) => {
      throw error;
    });
    const lifecycle = new Lifecycle(logger);
    openAlerts({
      config: {
        alertEmails: ["ops@example.org"],
        alertWebhookUrl: `http://127.0.0.1:${address.port}/alerts`,
        alertLagBlocks: 100,
        alertFreeDiskPercent: 5,
        appName: "Shop",
        dataDir: tmpdir(),
        webhookKey: "a key of the webhooks",
      },
      events,
      chain: { status: () => [] },
      mailer: { send: async (mail) => void mails.push(mail) },
      lifecycle,
      report: (error) => {
        throw error;
      },
    });
    events.emit("job.failed", { name: "clean", message: "no space" });
    events.emit("webhook.failed", { name: "beforeSave.Note", message: "timeout" });
    await lifecycle.stop();
    expect(mails.map(({ to, subject }) => [to, subject])).toEqual([
      ["ops@example.org", "[Shop] The job clean failed."],
      ["ops@example.org", "[Shop] The webhook beforeSave.Note failed."],
    ]);
    expect(
      posts.map(({ body }) => JSON.parse(body)).toSorted((a, b) => (a.kind < b.kind ? -1 : 1)),
    ).toMatchObject([
      { kind: "job", subject: "clean", details: "no space", isResolved: false, app: "Shop" },
      { kind: "webhook", subject: "beforeSave.Note" },
    ]);
    expect(posts[0]?.signature).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
  });

  it("report disks with too little free space, and indexes that lag too far behind or cannot be reached", () => {
    expect(diskCondition("/data", 4.96, 5).problem?.details).toBe("5.0 % of /data are free.");
    expect(diskCondition("/data", 6, 5).problem).toBeUndefined();
    const eth = { name: "eth", state: "following" } as const;
    const problemOf = (lag: number | null, isDown?: true) =>
      indexCondition({ ...eth, lag, ...(isDown && { isDatabaseUnavailable: isDown }) }, 100).problem;
    expect(problemOf(101)?.details).toBe("It lacks 101 blocks.");
    expect(problemOf(100)).toBeUndefined();
    expect(problemOf(null)).toBeUndefined();
    expect(problemOf(null, true)?.title).toBe("The database of the index of eth is not available.");
  });

  it.each([
    ["stalled", "eth stands still."],
    ["refused", "The nodes of eth are rejected."],
    ["unreachable", "No node of eth responds."],
    ["stopped", "eth is no longer indexed."],
  ] as const)("report a chain that is %s, although its index is not behind", (state, title) => {
    const { problem } = indexCondition({ name: "eth", state, lag: 0, error: "the reason" }, 100);
    expect(problem).toEqual({ title, details: "the reason" });
  });

  it("report nodes that could not take the place of others, but not the only node of a chain", () => {
    const nodes: NodeHealth[] = [
      { host: "a.example", state: "well", head: 20 },
      { host: "b.example", state: "behind", head: 12 },
      { host: "b.example", state: "refused", error: "the node belongs to chain 1, not 4" },
    ];
    expect(nodeConditions({ name: "eth", nodes })).toEqual([
      { kind: "node", subject: "eth 1 (a.example)", problem: undefined },
      {
        kind: "node",
        subject: "eth 2 (b.example)",
        problem: {
          title: "The node b.example of eth is behind.",
          details: "It is at block 12; other nodes are further.",
        },
      },
      {
        kind: "node",
        subject: "eth 3 (b.example)",
        problem: {
          title: "The node b.example of eth is rejected.",
          details: "the node belongs to chain 1, not 4",
        },
      },
    ]);
    expect(nodeConditions({ name: "eth", nodes: nodes.slice(2) })).toEqual([]);
  });
});

import { createServer, type Server } from "node:http";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Visit, visit } from "../support/browser.ts";
import { hostPurse } from "../support/purse.ts";
import { serveAppBy } from "../support/webApp.ts";

const CLIENT = resolve(import.meta.dirname, "../../packages/client/src/index.ts");

/** A worker that executes the page's requests with the whole namespace and responds on their port. */
const WORKER = `
import Moralis from ${JSON.stringify(CLIENT)};

const acts = {
  async start({ serverUrl, appId }) {
    await Moralis.start({ serverUrl, appId, keepsCurrentUser: true });
    return typeof window + " " + typeof document + " " + typeof localStorage;
  },
  async signUp({ username, password }) {
    const user = await Moralis.User.signUp(username, password);
    return Moralis.User.current().id === user.id;
  },
  async save({ title }) {
    const acl = new Moralis.ACL(Moralis.User.current());
    const post = await new Moralis.Object("Post", { title, ACL: acl }).save();
    return (await new Moralis.Query("Post").equalTo("title", title).first()).id === post.id;
  },
  async live({ title }) {
    const subscription = await new Moralis.Query("Post").subscribe();
    const created = new Promise((done) => subscription.on("create", (post) => done(post.get("title"))));
    await new Moralis.Object("Post", { title }).save();
    const seen = await created;
    subscription.unsubscribe();
    return seen;
  },
};

self.addEventListener("message", ({ data: { act, given }, ports: [port] }) => {
  acts[act](given).then((answer) => port.postMessage({ answer }), (error) => port.postMessage({ error: String(error) }));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
`;

describe("the client in a service worker without a window", () => {
  const app = serveAppBy(hostPurse);
  let site: Server;
  let visitor: Visit;

  beforeAll(async () => {
    site = await serve(await bundle());
    visitor = await visit(app.browser, { serviceWorkers: "allow" });
    const address = site.address();
    if (address === null || typeof address === "string") throw new Error("The site has no port");
    await visitor.page.goto(`http://127.0.0.1:${address.port}/`);
    await visitor.page.evaluate(async () => {
      await navigator.serviceWorker.register("/worker.js");
      await navigator.serviceWorker.ready;
    });
  });
  afterAll(() => {
    site?.close();
  });

  function ask(act: string, given: Record<string, string>): Promise<unknown> {
    return visitor.page.evaluate(
      async ([act, given]) => {
        const { active } = await navigator.serviceWorker.ready;
        const { port1, port2 } = new MessageChannel();
        const answered = new Promise<{ answer?: unknown; error?: string }>((done) => {
          port1.onmessage = ({ data }) => done(data);
        });
        active?.postMessage({ act, given }, [port2]);
        const { answer, error } = await answered;
        if (error !== undefined) throw new Error(error);
        return answer;
      },
      [act, given] as const,
    );
  }

  it("starts", async () => {
    const answer = await ask("start", { serverUrl: app.purse.serverUrl, appId: app.purse.appId });
    expect(answer).toBe("undefined undefined undefined");
  });

  it("signs up a user, who stays signed in as long as the worker runs", async () => {
    expect(await ask("signUp", { username: "worker", password: "correct horse battery" })).toBe(true);
  });

  it("saves and finds objects", async () => {
    expect(await ask("save", { title: "From behind the page" })).toBe(true);
  });

  it("receives new objects by a live query", async () => {
    expect(await ask("live", { title: "Now" })).toBe("Now");
  });
});

/** Bundles the worker as one classic script, which all browsers support. */
async function bundle(): Promise<string> {
  const built = await rolldown({
    input: "worker",
    platform: "browser",
    logLevel: "silent",
    plugins: [
      {
        name: "worker",
        resolveId: (id) => (id === "worker" ? join(CLIENT, "../worker.js") : undefined),
        load: (id) => (id.endsWith("/worker.js") ? WORKER : undefined),
      },
    ],
  });
  const { output } = await built.generate({ format: "iife", codeSplitting: false });
  await built.close();
  return output[0].code;
}

function serve(worker: string): Promise<Server> {
  const server = createServer(({ url }, response) => {
    const [type, body] =
      url === "/worker.js" ? ["text/javascript", worker] : ["text/html", "<!doctype html>"];
    response.setHeader("content-type", type).end(body);
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RecordingServer, startRecordingServer } from "../test/recordingServer.ts";
import { callPlugin, Plugins, setTriggerHandler } from "./plugins.ts";
import { start } from "./start.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  await start({
    serverUrl: server.url,
    appId: "app",
    plugins: [{ name: "shop", functions: ["buy"] }],
  });
  setTriggerHandler("give", ({ data }) => data.value);
});
afterEach(async () => {
  vi.unstubAllGlobals();
  await server.stop();
});

type Answers = Record<string, { triggers?: object[]; data?: unknown }>;

/** The server's functions and what they answer. */
function answer(functions: Answers): void {
  server.respondWith(({ call }) => {
    const result = functions[call.replace("POST functions/", "")];
    return { body: { result: { data: { success: true, result } } } };
  });
}

const buy = (options = {}) => Plugins.shop?.buy?.({ item: 1 }, options);
const calls = () => server.requests.map(({ call }) => call.replace("POST functions/", ""));

describe("a plugin's triggers", () => {
  it("run in order, and the call returns the plugin's result", async () => {
    const done: unknown[] = [];
    setTriggerHandler("note", ({ data }) => void done.push(data.what));
    answer({
      shop_buy: {
        data: "ok",
        triggers: [
          { name: "note", what: 1 },
          { name: "note", what: 2 },
        ],
      },
    });
    expect(await buy()).toMatchObject({ data: "ok" });
    expect(done).toEqual([1, 2]);
  });

  it("do not run with disableTriggers", async () => {
    answer({ shop_buy: { data: "ok", triggers: [{ name: "fly" }] } });
    expect(await buy({ disableTriggers: true })).toMatchObject({ data: "ok" });
  });

  it("are rejected if one is unknown, and later ones do not run", {
    tags: ["8.wallet.unknown-trigger"],
  }, async () => {
    const done: unknown[] = [];
    setTriggerHandler("note", ({ data }) => void done.push(data.what));
    answer({ shop_buy: { triggers: [{ name: "fly" }, { name: "note", what: 1 }] } });
    await expect(buy()).rejects.toThrow('Unknown trigger: "fly"');
    expect(done).toEqual([]);
  });

  it.each([
    ["shouldReturnResponse", { shouldReturnResponse: true }, 7],
    ["shouldReturnPayload", { shouldReturnPayload: true }, { payload: { data: "ok" }, response: 7 }],
    ["neither", {}, { data: "ok" }],
  ])("return the right value with %s", async (_name, flags, expected) => {
    answer({ shop_buy: { data: "ok", triggers: [{ name: "give", value: 7, ...flags }, { name: "give" }] } });
    if (typeof expected === "object") expect(await buy()).toMatchObject(expected);
    else expect(await buy()).toBe(expected);
  });

  it("open http and https pages only", async () => {
    const open = vi.fn();
    vi.stubGlobal("window", { open });
    answer({ shop_buy: { triggers: [{ name: "openUrl", url: "https://a.test", newTab: true }] } });
    await buy();
    answer({ shop_buy: { triggers: [{ name: "openUrl", url: "https://b.test" }] } });
    await buy();
    expect(open.mock.calls).toEqual([
      ["https://a.test", "_blank", "noopener"],
      ["https://b.test", "_self", undefined],
    ]);
    answer({ shop_buy: { triggers: [{ name: "openUrl", url: "javascript:alert(1)" }] } });
    await expect(buy()).rejects.toThrow("openUrl takes an http address");
  });
});

describe("the callPluginEndpoint trigger", () => {
  const next = { name: "callPluginEndpoint", pluginName: "shop", endpoint: "pay" };

  it("passes on the saved response of another trigger, or a part of it", async () => {
    const give = { name: "give", value: { of: { price: 5 } }, saveResponse: true };
    const whole = {
      ...next,
      shouldAwait: true,
      params: { a: 1 },
      useSavedResponse: true,
      savedResponseAs: "it",
    };
    const part = { ...whole, savedResponseAt: ["of", "price"] };
    answer({ shop_buy: { triggers: [give, whole, part] }, shop_pay: {} });
    await buy();
    expect(server.requests.slice(1).map(({ body }) => ({ a: body.a, it: body.it }))).toEqual([
      { a: 1, it: { of: { price: 5 } } },
      { a: 1, it: 5 },
    ]);
  });

  it("rejects if no response was saved in the same call", async () => {
    const give = { name: "give", value: 1, saveResponse: true };
    const use = { ...next, shouldAwait: true, useSavedResponse: true, savedResponseAs: "it" };
    answer({ shop_buy: { triggers: [give] } });
    await buy();
    answer({ shop_buy: { triggers: [use] } });
    await expect(buy()).rejects.toThrow("Nothing saved to memory card");
  });

  it("runs the triggers of the endpoint's response with runResponseTrigger", async () => {
    const run = { ...next, shouldAwait: true, runResponseTrigger: true, shouldReturnResponse: true };
    const give = { name: "give", value: "paid", shouldReturnResponse: true };
    answer({ shop_buy: { triggers: [run] }, shop_pay: { triggers: [give] } });
    expect(await buy()).toBe("paid");
  });

  it("continues with the next trigger without runResponseTrigger", async () => {
    const pass = { ...next, shouldAwait: true, runResponseTrigger: false, shouldReturnResponse: true };
    answer({ shop_buy: { data: "ok", triggers: [pass, { name: "give", value: 1 }] }, shop_pay: {} });
    expect(await buy()).toMatchObject({ data: "ok" });
  });

  it("does nothing without shouldAwait, and does not wait if that is false", async () => {
    answer({ shop_buy: { data: "ok", triggers: [next] }, shop_pay: {} });
    expect(await buy()).toMatchObject({ data: "ok" });
    expect(calls()).toEqual(["shop_buy"]);
    answer({ shop_buy: { data: "ok", triggers: [{ ...next, shouldAwait: false }] }, shop_pay: {} });
    expect(await buy()).toMatchObject({ data: "ok" });
    await expect.poll(calls).toEqual(["shop_buy", "shop_buy", "shop_pay"]);
  });

  it.each([
    [{ pluginName: undefined }, "callPluginEndpoint trigger does not have an plugin name to call"],
    [{ endpoint: undefined }, "callPluginEndpoint trigger does not have an endpoint to call"],
  ])("is rejected with %o", async (left, message) => {
    answer({ shop_buy: { triggers: [{ ...next, shouldAwait: true, ...left }] } });
    await expect(buy()).rejects.toThrow(message);
  });
});

it("callPlugin() names a plugin that the server does not have", {
  tags: ["8.sdk.plugin-not-installed"],
}, async () => {
  await expect(callPlugin("casino", "play")).rejects.toThrow(
    "casino plugin has not been installed or initialized",
  );
  answer({ shop_buy: { data: "ok" } });
  expect(await callPlugin("shop", "buy", { item: 1 })).toEqual({ data: "ok" });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ParseError } from "./errors.ts";
import { Moralis } from "./namespace.ts";
import { type RecordingServer, startRecordingServer } from "./recordingServer.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  server.answer(() => ({ body: { result: [] } }));
});
afterEach(() => server.stop());

describe("the namespace", () => {
  it("is its own Web3, as old code spells it", () => {
    expect(Moralis.Web3).toBe(Moralis);
    expect(Moralis.Web3.Moralis).toBe(Moralis);
  });

  it("takes the server's address after initialize", async () => {
    Moralis.initialize("app2", "js");
    Moralis.serverURL = `${server.url}/`;
    await new Moralis.Query("Note").first().catch(() => undefined);
    expect(server.requests[0]?.body).toMatchObject({ _ApplicationId: "app2", _JavaScriptKey: "js" });
    expect(Moralis.serverURL).toBe(server.url);
  });

  it("throws errors that are its Error, with their codes on it", async () => {
    server.answer(() => ({ status: 404, body: { code: 101, error: "Object not found." } }));
    const error: unknown = await new Moralis.Object("Note", { text: "a" })
      .save()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Moralis.Error);
    expect(error).toMatchObject({ code: Moralis.Error.OBJECT_NOT_FOUND });
    expect(Moralis.Error).toBe(ParseError);
  });

  it("[9.default-transaction-order] asks for transactions newest first", async () => {
    await Moralis.getTransactions();
    expect(server.requests[0]).toMatchObject({
      call: "POST functions/getTransactions",
      body: { chain: "Eth", address: "", order: "desc" },
    });
  });

  it("[9.sdk-version] says version 1.7.0", () => {
    expect(Moralis.version).toBe("1.7.0");
  });
});

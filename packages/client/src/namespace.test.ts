import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RecordingServer, startRecordingServer } from "../test/recordingServer.ts";
import { ParseError } from "./errors.ts";
import { Moralis } from "./namespace.ts";

let server: RecordingServer;
beforeEach(async () => {
  server = await startRecordingServer();
  server.connect();
  server.respondWith(() => ({ body: { result: [] } }));
});
afterEach(() => server.stop());

describe("the Moralis namespace", () => {
  it("contains itself as Web3 and Moralis, as legacy code spells it", () => {
    expect(Moralis.Web3).toBe(Moralis);
    expect(Moralis.Web3.Moralis).toBe(Moralis);
  });

  it("accepts serverURL after initialize()", async () => {
    Moralis.initialize("app2", "js");
    Moralis.serverURL = `${server.url}/`;
    await new Moralis.Query("Note").first().catch(() => undefined);
    expect(server.requests[0]?.body).toMatchObject({ _ApplicationId: "app2", _JavaScriptKey: "js" });
    expect(Moralis.serverURL).toBe(server.url);
  });

  it("throws instances of Moralis.Error with their codes", async () => {
    server.respondWith(() => ({ status: 404, body: { code: 101, error: "Object not found." } }));
    const error: unknown = await new Moralis.Object("Note", { text: "a" })
      .save()
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Moralis.Error);
    expect(error).toMatchObject({ code: Moralis.Error.OBJECT_NOT_FOUND });
    expect(Moralis.Error).toBe(ParseError);
  });

  it("requests transactions newest first by default", { tags: ["9.default-transaction-order"] }, async () => {
    await Moralis.getTransactions();
    expect(server.requests[0]).toMatchObject({
      call: "POST functions/getTransactions",
      body: { chain: "Eth", address: "", order: "desc" },
    });
  });

  it("reports version 1.7.0", { tags: ["9.sdk-version"] }, () => {
    expect(Moralis.version).toBe("1.7.0");
  });

  it("has every name that legacy code may use", () => {
    const names = `ACL AbstractWeb3Connector Analytics AnonymousUtils CLP Chains Cloud Config CoreManager Dot Elrond Erd
      Error FacebookUtils File GeoPoint Hooks Installation LiveQuery LiveQueryClient LocalDatastore Moralis Object Op
      Plugins Polygon Push Query Relation Role Schema Session SolanaAPI Storage UI Units User Web3 Web3API
      _ajax _decode _encode _getInstallationId _request account addListener addNetwork applicationId authenticate
      chainId cleanup connector connectorType deactivateWeb3 dumpLocalDatastore enableEncryptedUser
      enableLocalDatastore enableWeb3 encryptedUser executeFunction getAllERC20 getApiKeys getChainId getERC20 getNFTs
      getNFTsCount getTransactions getTransactionsCount idempotency initialize internalWeb3Provider
      ensureWeb3IsInstalled getWeb3Connector initPlugins isEnablingWeb3 isEncryptedUserEnabled isLocalDatastoreEnabled isMetaMaskInstalled isWeb3Enabled javaScriptKey
      link liveQueryServerURL masterKey network off on onAccountChanged onChainChanged onConnect onDisconnect
      onWeb3Deactivated onWeb3Enabled once provider removeAllListeners removeListener secret serverAuthToken
      serverAuthType serverURL setAsyncStorage setLocalDatastoreController start switchNetwork transfer unlink web3
      web3Library`;
    expect(names.split(/\s+/).filter((name) => !(name in Moralis))).toEqual([]);
  });

  it("can be spread and enumerated before ethers is loaded", () => {
    expect({ ...Moralis }).toHaveProperty("Query", Moralis.Query);
    for (const [name, value] of Object.entries(Moralis)) expect(Reflect.get(Moralis, name)).toBe(value);
    for (const name in Moralis) expect(() => Reflect.get(Moralis, name)).not.toThrow();
    expect("web3Library" in Moralis).toBe(true);
    expect(() => Moralis.web3Library).toThrow("ethers 5 is not installed");
  });

  it("reports with the older name ensureWeb3IsInstalled() whether a wallet is enabled", () => {
    expect(Moralis.ensureWeb3IsInstalled()).toBe(false);
  });

  it("adds the given plugins, or those of the server", async () => {
    await Moralis.initPlugins([{ name: "dex", functions: ["quote"] }]);
    server.respondWith(() => ({ body: { result: [{ name: "art", functions: ["show"] }] } }));
    await Moralis.initPlugins();
    expect(Object.keys(Moralis.Plugins)).toEqual(["dex", "art"]);
    expect(server.requests).toMatchObject([{ call: "POST functions/getPluginSpecs" }]);
  });

  it.each([
    ["walletconnect", "WalletConnect"],
    ["walletConnect", "WalletConnect"],
    ["wc", "WalletConnect"],
    ["network", "network"],
    ["magicLink", "MagicLink"],
    ["web3Auth", "web3Auth"],
    ["metamask", "injected"],
    [undefined, "injected"],
  ])("returns the connector class of %s for legacy code", (name, type) => {
    class Custom extends Moralis.getWeb3Connector(name) {}
    expect(new Custom()).toBeInstanceOf(Moralis.AbstractWeb3Connector);
    expect(new Custom().type).toBe(type);
  });

  it("rejects operations of Dot, Elrond and Erd wallets with 252", async () => {
    const { Dot, Elrond, Erd } = Moralis;
    const calls = [Dot, Elrond, Erd].flatMap((chain) => [
      chain.enable(),
      chain.sign(),
      chain.authenticate(),
      chain.link("account"),
      chain.unlink("account"),
    ]);
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 252 });
    expect(server.requests).toEqual([]);
  });

  it("rejects getApiKeys(), and has no wallet before one is enabled", async () => {
    await expect(Moralis.getApiKeys("secret")).rejects.toThrow("Could not fetch keys with moralisSecret");
    expect(Moralis.internalWeb3Provider).toBeNull();
  });
});

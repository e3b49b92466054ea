import { describe, expect, it } from "vitest";
import { magicKey, relayUrl, walletServiceSources } from "./walletServices.ts";

const NONE = { walletConnect: null, web3Auth: null, magic: null };

describe("wallet services", () => {
  it("add no hosts to the content security policy if none is configured", () => {
    expect(walletServiceSources(NONE)).toEqual({ connect: [], frames: [], images: [] });
  });

  it("add the hosts of the configured services, or a custom relay instead of WalletConnect's", () => {
    const walletConnect = { projectId: "p", relayUrl: "wss://relay.example.org/path" };
    const { connect, frames } = walletServiceSources({ ...NONE, walletConnect });
    expect(connect).toContain("wss://relay.example.org");
    expect(connect.join(" ")).not.toMatch(/relay\.walletconnect|magic|web3auth/);
    expect(frames).toEqual(["https://verify.walletconnect.org"]);
    const magic = { apiKey: "pk_live_1", network: "mainnet" };
    expect(walletServiceSources({ ...NONE, magic }).frames).toEqual(["https://auth.magic.link"]);
  });

  it("reject a secret key, and a URL that could extend the policy", () => {
    expect(() => magicKey("sk_live_1")).toThrow("publishable");
    expect(magicKey("pk_live_1")).toBe("pk_live_1");
    expect(() => relayUrl("https://relay.example.org")).toThrow("wss://");
    expect(
      walletServiceSources({
        ...NONE,
        walletConnect: { projectId: "p", relayUrl: "wss://a.org/;%20script-src" },
      }).connect[0],
    ).toBe("wss://a.org");
  });
});

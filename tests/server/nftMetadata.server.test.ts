import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createWalletClient, http, parseAbi } from "viem";
import { foundry } from "viem/chains";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { devAccount } from "../support/devAccount.ts";
import { hostPurse, type Purse } from "../support/purse.ts";

let purse: Purse;
let gallery: `0x${string}`;
/** A server in the internal network that clients' URLs must not reach. */
let inner: Server;
let visits = 0;

beforeAll(async () => {
  inner = createServer((_, response) => {
    visits += 1;
    response.end('{"name":"secret"}');
  });
  await new Promise<void>((resolve) => inner.listen(0, "127.0.0.1", resolve));
  purse = await hostPurse({ devChain: true });
  const { body } = await call("GET", `/${devAccount(5).address}/nft`);
  gallery = body.result.find(({ symbol }: { symbol: string }) => symbol === "GALLERY").token_address;
});

afterAll(async () => {
  await purse?.remove();
  inner.closeAllConnections();
  inner.close();
});

async function call(method: string, path: string, json?: object) {
  const response = await fetch(`${purse.url}/api/v2${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(json && { body: JSON.stringify(json) }),
  });
  return { status: response.status, body: await response.json() };
}

async function mint(id: bigint, uri: string): Promise<void> {
  const account = devAccount(0);
  const wallet = createWalletClient({
    account,
    transport: http(purse.rpcUrl),
    chain: { ...foundry, id: 1337 },
  });
  await wallet.writeContract({
    address: gallery,
    abi: parseAbi(["function mint(address to, uint256 id, string uri)"]),
    functionName: "mint",
    args: [account.address, id, uri],
  });
}

describe("NFT metadata", () => {
  it("is read from files uploaded to this server by both of their URLs", async () => {
    const files = [{ path: "one.json", content: { name: "Uploaded", description: "by hand" } }];
    const { body } = await call("POST", "/ipfs/uploadFolder", files);
    const [{ path }] = body;
    await mint(101n, path);
    await mint(102n, path.replace(`${purse.url}/ipfs/`, "ipfs://"));
    for (const id of [101, 102]) {
      await expect
        .poll(async () => (await call("GET", `/nft/${gallery}/${id}`)).body.metadata, { timeout: 10_000 })
        .toBe('{"name":"Uploaded","description":"by hand"}');
    }
    const found = await call("GET", "/nft/search?q=uploaded&filter=name");
    expect(found.body.result.map(({ token_id }: { token_id: string }) => token_id)).toEqual(["102", "101"]);
    const again = await call("GET", `/nft/${gallery}/101/metadata/resync`);
    expect(again).toEqual({ status: 202, body: { status: "accepted" } });
    const atOnce = await call("GET", `/nft/${gallery}/101/metadata/resync?mode=sync&flag=uri`);
    expect(atOnce).toEqual({ status: 200, body: { status: "completed" } });
    expect(await call("PUT", `/nft/${gallery}/sync`)).toEqual({ status: 201, body: {} });
  });

  it("has an image that is resized and sanitized, from IPFS or on chain", async () => {
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="300"><script>1</script><rect width="600" height="300" fill="red"/></svg>`;
    const content = `data:image/svg+xml;base64,${Buffer.from(drawing).toString("base64")}`;
    const { body } = await call("POST", "/ipfs/uploadFolder", [{ path: "picture.svg", content }]);
    const uploaded = body[0].path.replace(`${purse.url}/ipfs/`, "ipfs://");
    for (const [id, metadata] of [
      [111n, { name: "a", image: content }],
      [112n, { name: "b", image_url: uploaded }],
      [113n, { name: "c", image_data: drawing }],
    ] as const) {
      await mint(id, `data:application/json,${encodeURIComponent(JSON.stringify(metadata))}`);
      const url = `${purse.url}/api/v2/nft/${gallery}/${id}/image?width=100&chain=0x539`;
      await expect.poll(async () => (await fetch(url)).status, { timeout: 10_000 }).toBe(200);
      const picture = await fetch(url);
      expect(picture.headers.get("content-type")).toBe("image/webp");
      expect(picture.headers.get("content-security-policy")).toBe("sandbox; default-src 'none'");
      const head = Buffer.from(await picture.arrayBuffer());
      expect(head.toString("latin1", 0, 4) + head.toString("latin1", 8, 12)).toBe("RIFFWEBP");
    }
  });

  it.each<[string, object, number]>([
    ["a URL in the internal network", { image: "INNER" }, 404],
    ["a page instead of an image", { image: "data:text/html,<script>alert(1)</script>" }, 415],
    ["a javascript: URL", { image: "javascript:alert(1)" }, 404],
    ["no image", { name: "x" }, 404],
  ])("has no image if it contains %s", async (_, metadata, status) => {
    const id = 120n + BigInt(JSON.stringify(metadata).length);
    const inside = `http://127.0.0.1:${(inner.address() as AddressInfo).port}/picture.png`;
    const text = JSON.stringify(metadata).replace("INNER", inside);
    await mint(id, `data:application/json,${encodeURIComponent(text)}`);
    await expect
      .poll(async () => (await call("GET", `/nft/${gallery}/${id}`)).body.metadata, { timeout: 10_000 })
      .toBe(text);
    const answer = await call("GET", `/nft/${gallery}/${id}/image`);
    expect([answer.status, typeof answer.body.error]).toEqual([status, "string"]);
    expect(visits).toBe(0);
  });

  it("rejects invalid image requests", async () => {
    for (const [path, status] of [
      [`/nft/${gallery}/999999/image`, 404],
      ["/nft/0x12/1/image", 400],
      [`/nft/${gallery}/one/image`, 400],
      [`/nft/${gallery}/1/image?chain=nowhere`, 400],
      [`/nft/${gallery}/1/image?width=5000`, 400],
    ] as const) {
      expect([path, (await call("GET", path)).status]).toEqual([path, status]);
    }
  });

  it("is not read from the internal network", async () => {
    await mint(103n, `http://127.0.0.1:${(inner.address() as AddressInfo).port}/`);
    await expect
      .poll(async () => (await call("GET", `/nft/${gallery}/103/metadata/resync?mode=sync`)).body.status, {
        timeout: 10_000,
      })
      .toBe("requests to private addresses are not allowed");
    expect((await call("GET", `/nft/${gallery}/103`)).body.metadata).toBeNull();
    expect(visits).toBe(0);
  });
});
